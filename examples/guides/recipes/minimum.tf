data "versionskew_policy" "minimum" {
  extends = "eks"

  requirement_rules = {
    company-minimum = {
      require = { component = "kube-apiserver", version = ">= 1.36" }
      reason  = "Our base images require 1.36 or later."
    }
  }
}

resource "versionskew_validation" "minimum" {
  policy                = data.versionskew_policy.minimum.json
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
}
