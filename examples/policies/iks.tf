resource "versionskew_validation" "iks" {
  policy                = "iks"
  control_plane_version = "1.36.3"

  node_pools = {
    general = { kubelet = "1.36.4" }
    gpu     = { kubelet = "1.35.5" }
  }
}
