resource "versionskew_validation" "ocne" {
  policy = "ocne"

  control_plane = {
    cp-0 = { version = "1.33", kubelet = "1.33" }
    cp-1 = { version = "1.33", kubelet = "1.33" }
    cp-2 = { version = "1.33", kubelet = "1.33" }
  }

  node_pools = {
    general = { kubelet = "1.33" }
    gpu     = { kubelet = "1.32" }
  }
}
