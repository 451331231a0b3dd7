# A highly available kubeadm cluster on existing machines. kubeadm upgrades the first
# control-plane machine, then the others, then the workers.

locals {
  first = sort(keys(var.control_plane))[0]
}

resource "ssh_resource" "first" {
  host     = "${local.first}.${var.domain}"
  user     = var.user
  agent    = true
  commands = ["kubeadm upgrade apply --yes --control-plane --kubernetes-version ${var.control_plane[local.first]}", "install-kubelet ${var.control_plane[local.first]}"]
}

resource "ssh_resource" "control_plane" {
  for_each = { for name, version in var.control_plane : name => version if name != local.first }

  host     = "${each.key}.${var.domain}"
  user     = var.user
  agent    = true
  commands = ["kubeadm upgrade node --control-plane --kubernetes-version ${each.value}", "install-kubelet ${each.value}"]

  depends_on = [ssh_resource.first]
}

resource "ssh_resource" "worker" {
  for_each = var.workers

  host     = "${each.key}.${var.domain}"
  user     = var.user
  agent    = true
  commands = ["kubeadm upgrade node --kubernetes-version ${each.value}", "install-kubelet ${each.value}"]

  depends_on = [ssh_resource.control_plane]
}

# Removes a worker from the cluster when it is no longer declared.
resource "ssh_resource" "leave" {
  for_each = var.workers

  host     = "${local.first}.${var.domain}"
  user     = var.user
  agent    = true
  when     = "destroy"
  commands = ["kubectl delete node ${each.key}"]
}
