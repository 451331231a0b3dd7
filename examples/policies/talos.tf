resource "versionskew_validation" "talos" {
  policy = "talos"

  control_plane = {
    cp-0 = { version = "v1.36.1", kubelet = "v1.36.1" }
    cp-1 = { version = "v1.36.1", kubelet = "v1.36.1" }
    cp-2 = { version = "v1.36.1", kubelet = "v1.36.1" }
  }

  node_pools = {
    workers = { kubelet = "v1.36.1", kube_proxy = "v1.36.1" }
  }

  components = {
    talos = ["v1.13.2"]
  }
}
