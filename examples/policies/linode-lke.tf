resource "versionskew_validation" "linode-lke" {
  policy                = "linode-lke"
  control_plane_version = "1.35"

  node_pools = {
    general = { kubelet = "1.35" }
    batch   = { kubelet = "1.34" }
  }
}
