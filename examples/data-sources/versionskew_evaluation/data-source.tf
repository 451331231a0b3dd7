terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = "1.37.2"

  node_pools = {
    general = { kubelet = "1.37.2", kube_proxy = "1.37.2" }
    gpu     = { kubelet = "1.35.10" }
  }

  kubectl = ["1.37.2"]

  # What runs now: the upgrade from there is judged too.
  observed = {
    control_plane_version = "1.36.6"
    node_pools = {
      general = { kubelet = "1.36.6", kube_proxy = "1.36.6" }
      gpu     = { kubelet = "1.35.10" }
    }
  }
}

output "supported" {
  value = data.versionskew_evaluation.cluster.supported
}

output "findings" {
  value = [for finding in data.versionskew_evaluation.cluster.findings : finding.message]
}

output "node_pool_versions" {
  value = data.versionskew_evaluation.cluster.allowed_versions["kubelet"].minors
}

output "upgrade_order" {
  value = data.versionskew_evaluation.cluster.upgrade_order
}
