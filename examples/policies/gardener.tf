resource "versionskew_validation" "gardener" {
  policy                = "gardener"
  control_plane_version = "1.36.3"

  node_pools = {
    general = { kubelet = "1.36.3" }
    gpu     = { kubelet = "1.35.5" }
  }
}
