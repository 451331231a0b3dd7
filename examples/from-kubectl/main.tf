# Checks a cluster from the output of kubectl, without access from Terraform to the
# cluster. Create these files first:
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
      # This field is empty or missing in newer clusters.
      kube_proxy = try(node.status.nodeInfo.kubeProxyVersion, "") == "" ? null : node.status.nodeInfo.kubeProxyVersion
    }
  }
  version = jsondecode(file("${path.module}/version.json"))

  control_plane_nodes = { for name, node in local.nodes : name => node if node.control_plane }
  managed             = length(local.control_plane_nodes) == 0
}

data "versionskew_evaluation" "cluster" {
  # Nodes of a managed control plane are not in the list.
  control_plane_version = local.managed ? local.version.serverVersion.gitVersion : null
  control_plane = local.managed ? null : {
    for name, node in local.control_plane_nodes : name => {
      # The version of the API server that has answered. The others may have another one.
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
  description = "Report in Markdown. Print it with: terraform output -raw report"
  value       = data.versionskew_evaluation.cluster.markdown
}
