resource "versionskew_validation" "oke" {
  policy                = "oke"
  control_plane_version = "v1.36.1"

  node_pools = {
    general = { kubelet = "v1.36.1" }
    gpu     = { kubelet = "v1.35.2" }
  }
}
