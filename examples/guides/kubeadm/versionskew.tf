provider "versionskew" {
  policy = "kubeadm"
}

variable "apiserver_endpoint" {
  description = "local: the components of a control-plane machine talk to the API server on it; shared: to any, through a load balancer"
  type        = string
  default     = "local"
}

resource "versionskew_validation" "cluster" {
  # The four control-plane components of a machine, and its kubelet.
  control_plane      = { for name, version in var.control_plane : name => { version = version, kubelet = version } }
  apiserver_endpoint = var.apiserver_endpoint
  node_pools         = { for name, version in var.workers : name => { kubelet = version } }
  components         = { kubeadm = [var.kubeadm] }

  depends_on = [terraform_data.control_plane, terraform_data.worker]
}
