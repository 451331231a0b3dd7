resource "versionskew_validation" "rke2" {
  policy = "rke2"

  control_plane = {
    cp-0 = { version = "v1.36.3+rke2r1", kubelet = "v1.36.3+rke2r1" }
    cp-1 = { version = "v1.36.3+rke2r1", kubelet = "v1.36.3+rke2r1" }
    cp-2 = { version = "v1.36.3+rke2r1", kubelet = "v1.36.3+rke2r1" }
  }

  node_pools = {
    agents = { kubelet = "v1.36.3+rke2r1" }
    edge   = { kubelet = "v1.34.7+rke2r1" }
  }
}
