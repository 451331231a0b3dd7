# Fails the plan if versions violate the policy, now or during the apply. Copy this
# file into a module with the variables "control_plane" and "workers" (versions keyed
# by machine name) and the resources that run kubeadm.

variable "observe" {
  description = "Whether to read the running versions from the cluster in every plan. Set it to true once the cluster is reachable."
  type        = bool
  default     = false
}

variable "waivers" {
  description = "Accepted findings, keyed by a name you choose: which rule, where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}

# What runs now, read from the cluster. These data sources do not depend on a managed
# resource, so they are read during the plan.
data "kubernetes_nodes" "running" {
  count = var.observe ? 1 : 0
}

data "kubernetes_resources" "api_servers" {
  count = var.observe ? 1 : 0

  api_version    = "v1"
  kind           = "Pod"
  namespace      = "kube-system"
  label_selector = "component=kube-apiserver"
}

locals {
  kubelets = merge([
    for nodes in data.kubernetes_nodes.running : {
      for node in nodes.nodes : node.metadata[0].name => node.status[0].node_info[0].kubelet_version
    }
  ]...)
  api_servers = merge([
    for pods in data.kubernetes_resources.api_servers : {
      for pod in pods.objects : pod.spec.nodeName => split(":", pod.spec.containers[0].image)[1]
    }
  ]...)
}

resource "versionskew_validation" "this" {
  policy = "kubeadm"

  control_plane = { for name, version in var.control_plane : name => { version = version, kubelet = version } }
  node_pools    = { for name, version in var.workers : name => { kubelet = version } }

  # kubeadm connects the components of a control-plane machine to the API server on
  # that machine.
  apiserver_endpoint = "local"

  observed = length(local.kubelets) == 0 ? null : {
    control_plane = {
      for name, version in local.api_servers : name => { version = version, kubelet = local.kubelets[name] }
    }
    apiserver_endpoint = "local"
    node_pools         = { for name, version in local.kubelets : name => { kubelet = version } if !contains(keys(local.api_servers), name) }
  }

  waivers = var.waivers

  # Records the new versions only after every machine has been upgraded.
  depends_on = [ssh_resource.first, ssh_resource.control_plane, ssh_resource.worker]
}
