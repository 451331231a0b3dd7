resource "versionskew_validation" "aro-hcp" {
  policy                = "aro-hcp"
  control_plane_version = "1.36.3"

  node_pools = {
    general = { kubelet = "1.36.3" }
    gpu     = { kubelet = "1.34.5" }
  }
}
