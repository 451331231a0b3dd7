terraform {
  required_version = ">= 1.8"

  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "clusters" {
  type = map(object({
    control_plane_version = string
    node_pools            = map(string)
  }))
  default = {
    shop   = { control_plane_version = "1.36", node_pools = { general = "1.36", gpu = "1.35" } }
    batch  = { control_plane_version = "1.36", node_pools = { general = "1.32" } }
    legacy = { control_plane_version = "1.34", node_pools = { general = "1.30", windows = "1.30" } }
  }
}

resource "versionskew_validation" "cluster" {
  for_each = var.clusters

  policy                = "eks"
  enforcement_level     = "changes"
  control_plane_version = each.value.control_plane_version
  node_pools            = { for name, version in each.value.node_pools : name => { kubelet = version } }
}

data "versionskew_evaluation" "cluster" {
  for_each = var.clusters

  policy                = "eks"
  control_plane_version = each.value.control_plane_version
  node_pools            = { for name, version in each.value.node_pools : name => { kubelet = version } }
}

output "not_supported" {
  description = "Number of errors of each cluster that violates the policy."
  value       = { for name, cluster in data.versionskew_evaluation.cluster : name => cluster.summary.errors if !cluster.supported }
}
