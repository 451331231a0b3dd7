# A highly available cluster made by kubeadm. What makes the machines differs
# from place to place; here it is any resource that takes a version and gives it
# to kubeadm.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane" {
  description = "Kubernetes version of every control-plane machine"
  type        = map(string)
  default = {
    cp-0 = "1.35.7"
    cp-1 = "1.35.7"
    cp-2 = "1.35.7"
  }
}

variable "workers" {
  description = "Kubernetes version of every worker"
  type        = map(string)
  default = {
    worker-0 = "1.35.7"
    worker-1 = "1.34.10"
  }
}

variable "kubeadm" {
  description = "Version of kubeadm on the machines"
  type        = string
  default     = "1.35.7"
}

resource "terraform_data" "control_plane" {
  for_each = var.control_plane

  input = yamlencode({
    apiVersion        = "kubeadm.k8s.io/v1beta4"
    kind              = "ClusterConfiguration"
    kubernetesVersion = "v${each.value}"
  })
}

resource "terraform_data" "worker" {
  for_each = var.workers
  input    = "kubelet=${each.value}"

  depends_on = [terraform_data.control_plane]
}
