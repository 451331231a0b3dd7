# Evaluates a cluster from the output of kubectl. Terraform does not contact the
# cluster. Create the two files first:
#
#   kubectl get nodes -o json > nodes.json
#   kubectl version -o json > version.json

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

locals {
  nodes = {
    for node in jsondecode(file("${path.module}/nodes.json")).items : node.metadata.name => {
      control_plane = contains(keys(node.metadata.labels), "node-role.kubernetes.io/control-plane")
      kubelet       = node.status.nodeInfo.kubeletVersion
      # In newer clusters, this field is empty or missing.
      kube_proxy = try(node.status.nodeInfo.kubeProxyVersion, "") == "" ? null : node.status.nodeInfo.kubeProxyVersion
    }
  }
  version = jsondecode(file("${path.module}/version.json"))

  control_plane_nodes = { for name, node in local.nodes : name => node if node.control_plane }
  managed             = length(local.control_plane_nodes) == 0
}

data "versionskew_evaluation" "cluster" {
  # A managed control plane has no nodes in the list.
  control_plane_version = local.managed ? local.version.serverVersion.gitVersion : null
  control_plane = local.managed ? null : {
    for name, node in local.control_plane_nodes : name => {
      # kubectl reports the version of the API server that answered.
      version    = local.version.serverVersion.gitVersion
      kubelet    = node.kubelet
      kube_proxy = node.kube_proxy
    }
  }

  node_pools = {
    for name, node in local.nodes : name => {
      kubelet    = node.kubelet
      kube_proxy = node.kube_proxy
    } if !node.control_plane
  }

  kubectl = [local.version.clientVersion.gitVersion]
}

output "supported" {
  value = data.versionskew_evaluation.cluster.supported
}

output "findings" {
  value = [for f in data.versionskew_evaluation.cluster.findings : "${f.severity}: ${f.message} ${f.remedy}"]
}

output "next_control_plane_version" {
  value = data.versionskew_evaluation.cluster.next_control_plane_version
}

output "report" {
  description = "Report for a pull request: terraform output -raw report"
  value       = data.versionskew_evaluation.cluster.markdown
}
