resource "versionskew_validation" "cks" {
  policy                = "cks"
  control_plane_version = "1.36"

  node_pools = {
    general = { kubelet = "1.36" }
    gpu     = { kubelet = "1.35" }
  }
}
