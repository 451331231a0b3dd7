resource "versionskew_validation" "roks" {
  policy                = "roks"
  control_plane_version = "4.19.8"

  node_pools = {
    general = { kubelet = "4.19.9" }
    gpu     = { kubelet = "4.18.12" }
  }
}
