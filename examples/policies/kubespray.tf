resource "versionskew_validation" "kubespray" {
  policy = "kubespray"

  control_plane = {
    cp-0 = { version = "1.35.4", kubelet = "1.35.4" }
    cp-1 = { version = "1.35.4", kubelet = "1.35.4" }
    cp-2 = { version = "1.35.4", kubelet = "1.35.4" }
  }

  node_pools = {
    general = { kubelet = "1.35.4" }
    gpu     = { kubelet = "1.34.7" }
  }

  components = {
    kubespray = ["2.31.0"]
  }
}
