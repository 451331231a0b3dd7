resource "versionskew_validation" "kubernetes-strict" {
  policy = "kubernetes-strict"

  control_plane = {
    cp-0 = { version = "1.37.2", kubelet = "1.37.2" }
    cp-1 = { version = "1.37.2", kubelet = "1.37.2" }
    cp-2 = { version = "1.37.2", kubelet = "1.37.2" }
  }

  node_pools = {
    general = { kubelet = "1.37.2" }
    gpu     = { kubelet = "1.35.10" }
  }
}
