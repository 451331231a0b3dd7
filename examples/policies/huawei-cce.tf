resource "versionskew_validation" "huawei-cce" {
  policy                = "huawei-cce"
  control_plane_version = "v1.31"

  node_pools = {
    general = { kubelet = "v1.31" }
    batch   = { kubelet = "v1.29" }
  }
}
