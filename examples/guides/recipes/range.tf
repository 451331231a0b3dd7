data "versionskew_policy" "range" {
  extends = "eks"

  requirement_rules = {
    tested = {
      require = { component = "kube-apiserver", version = ">= 1.36, < 1.38" }
      reason  = "Our base images are tested with 1.36 and 1.37."
    }
  }
}

resource "versionskew_validation" "range" {
  policy                = data.versionskew_policy.range.json
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
}
