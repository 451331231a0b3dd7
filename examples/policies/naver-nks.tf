resource "versionskew_validation" "naver-nks" {
  policy                = "naver-nks"
  control_plane_version = "1.33.4-nks.1"

  node_pools = {
    general = { kubelet = "1.33.4-nks.1" }
    batch   = { kubelet = "1.32.8-nks.1" }
  }
}
