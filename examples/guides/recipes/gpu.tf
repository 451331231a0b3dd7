data "versionskew_policy" "gpu" {
  extends = "eks"

  skew_rules = {
    kubelet-apiserver = { max_older = 1 }
  }
}

resource "versionskew_validation" "gpu" {
  policy                = data.versionskew_policy.gpu.json
  control_plane_version = var.control_plane_version
  node_pools            = { gpu = local.node_pools.gpu }
}
