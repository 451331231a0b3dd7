resource "versionskew_validation" "k3s" {
  policy = "k3s"

  control_plane = {
    cp-0 = { version = "v1.36.3+k3s1", kubelet = "v1.36.3+k3s1" }
    cp-1 = { version = "v1.36.3+k3s1", kubelet = "v1.36.3+k3s1" }
    cp-2 = { version = "v1.36.3+k3s1", kubelet = "v1.36.3+k3s1" }
  }

  node_pools = {
    agents = { kubelet = "v1.36.3+k3s1" }
    edge   = { kubelet = "v1.34.7+k3s1" }
  }
}
