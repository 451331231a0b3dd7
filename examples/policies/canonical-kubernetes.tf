resource "versionskew_validation" "canonical-kubernetes" {
  policy = "canonical-kubernetes"

  control_plane = {
    cp-0 = { version = "1.35", kubelet = "1.35" }
    cp-1 = { version = "1.35", kubelet = "1.35" }
    cp-2 = { version = "1.35", kubelet = "1.35" }
  }

  node_pools = {
    general = { kubelet = "1.35" }
    gpu     = { kubelet = "1.34" }
  }
}
