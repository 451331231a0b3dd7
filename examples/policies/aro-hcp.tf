resource "versionskew_validation" "aro-hcp" {
  policy                = "aro-hcp"
  control_plane_version = "4.22.5"

  node_pools = {
    general = { kubelet = "4.22.5" }
    gpu     = { kubelet = "4.20.9" }
  }
}
