resource "versionskew_validation" "scaleway-kapsule" {
  policy                = "scaleway-kapsule"
  control_plane_version = "1.35.3"

  node_pools = {
    general = { kubelet = "1.35.3" }
    batch   = { kubelet = "1.34.6" }
  }
}
