resource "versionskew_validation" "k0s" {
  policy = "k0s"

  control_plane = {
    cp-0 = { version = "v1.36.3+k0s.0", kubelet = "v1.36.3+k0s.0" }
    cp-1 = { version = "v1.36.3+k0s.0", kubelet = "v1.36.3+k0s.0" }
    cp-2 = { version = "v1.36.3+k0s.0", kubelet = "v1.36.3+k0s.0" }
  }

  node_pools = {
    general = { kubelet = "v1.36.3+k0s.0" }
    gpu     = { kubelet = "v1.35.5+k0s.0" }
  }
}
