resource "versionskew_validation" "roks" {
  policy                = "roks"
  control_plane_version = "1.36.3"

  node_pools = {
    general = { kubelet = "1.36.4" }
    gpu     = { kubelet = "1.35.5" }
  }
}
