resource "versionskew_validation" "kubeadm" {
  policy = "kubeadm"

  control_plane = {
    cp-0 = { version = "1.36.3", kubelet = "1.36.3" }
    cp-1 = { version = "1.36.3", kubelet = "1.36.3" }
    cp-2 = { version = "1.36.3", kubelet = "1.36.3" }
  }

  node_pools = {
    general = { kubelet = "1.36.3" }
    gpu     = { kubelet = "1.35.5" }
  }

  components = {
    kubeadm = ["1.36.3"]
  }
}
