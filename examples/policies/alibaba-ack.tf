resource "versionskew_validation" "alibaba-ack" {
  policy                = "alibaba-ack"
  control_plane_version = "1.35.2-aliyun.1"

  node_pools = {
    general = { kubelet = "1.35.2-aliyun.1" }
    batch   = { kubelet = "1.34.3-aliyun.1" }
  }
}
