variable "gpu_version" {
  type    = string
  default = "1.35.10"
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.37.2"

  node_pools = {
    general = { kubelet = "1.37.2" }
    gpu     = { kubelet = var.gpu_version }
  }
}
