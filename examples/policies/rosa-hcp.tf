resource "versionskew_validation" "rosa-hcp" {
  policy                = "rosa-hcp"
  control_plane_version = "1.34.3"

  node_pools = {
    general = { kubelet = "1.34.3" }
    gpu     = { kubelet = "1.32.9" }
  }
}
