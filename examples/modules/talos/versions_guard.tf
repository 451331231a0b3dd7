# Fails the plan if versions violate the policy. Copy this file into a module with the
# resources hcloud_server.control_plane and hcloud_server.worker (both with for_each
# by machine name) and talos_machine_secrets.this, and with a variable
# "kubernetes_version".

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
  label_selector = "k8s-app=kube-apiserver"
}

locals {
  kubelets = merge([
    for nodes in data.kubernetes_nodes.running : {
      for node in nodes.nodes : node.metadata[0].name => trimprefix(node.status[0].node_info[0].kubelet_version, "v")
    }
  ]...)
  api_servers = merge([
    for pods in data.kubernetes_resources.api_servers : {
      for pod in pods.objects : pod.spec.nodeName => split(":v", pod.spec.containers[0].image)[1]
    }
  ]...)
}

resource "versionskew_validation" "this" {
  policy = "talos"

  # Existing machines keep their version. Only new ones get kubernetes_version.
  control_plane = {
    for name in keys(hcloud_server.control_plane) : name => {
      version = lookup(local.api_servers, name, var.kubernetes_version)
      kubelet = lookup(local.kubelets, name, var.kubernetes_version)
    }
  }
  node_pools = {
    for name in keys(hcloud_server.worker) : name => { kubelet = lookup(local.kubelets, name, var.kubernetes_version) }
  }

  # The components of a control-plane machine use the API server on that machine.
  apiserver_endpoint = "local"

  # Machines are created at the same time.
  apply_order = "unordered"

  # New secrets mean a new cluster.
  cluster_id = talos_machine_secrets.this.machine_secrets.cluster.id

  observed = length(local.kubelets) == 0 ? null : {
    control_plane = {
      for name, version in local.api_servers : name => { version = version, kubelet = local.kubelets[name] }
    }
    apiserver_endpoint = "local"
    node_pools         = { for name, version in local.kubelets : name => { kubelet = version } if !contains(keys(local.api_servers), name) }
  }

  waivers = var.waivers

  # Records the new versions only after the apply has succeeded.
  depends_on = [hcloud_server.control_plane, hcloud_server.worker]
}
