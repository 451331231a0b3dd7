resource "versionskew_validation" "rosa-hcp" {
  policy                = "rosa-hcp"
  control_plane_version = "4.21.3"

  node_pools = {
    general = { kubelet = "4.21.3" }
    gpu     = { kubelet = "4.19.9" }
  }
}
