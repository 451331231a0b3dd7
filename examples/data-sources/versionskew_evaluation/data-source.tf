terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = "1.31.2"

  node_pools = {
    general = { kubelet = "1.31.2", kube_proxy = "1.31.2" }
    gpu     = { kubelet = "1.29.10" }
  }

  kubectl = ["1.32.0"]

  # What runs now: the upgrade from there is judged too.
  observed = {
    control_plane_version = "1.30.8"
    node_pools = {
      general = { kubelet = "1.30.8", kube_proxy = "1.30.8" }
      gpu     = { kubelet = "1.29.10" }
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
