resource "versionskew_validation" "tencent-tke" {
  policy                = "tencent-tke"
  control_plane_version = "1.32.2"

  node_pools = {
    general = { kubelet = "1.32.2" }
    batch   = { kubelet = "1.30.0" }
  }
}
