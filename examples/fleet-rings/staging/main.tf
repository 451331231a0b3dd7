# The staging ring, with its own state.

terraform {
  required_version = ">= 1.8"

  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "clusters" {
  description = "Clusters of the ring, keyed by name."
  type = map(object({
    policy                = string
    control_plane_version = string
    node_pool_versions    = map(string)
  }))
  default = {
    shop  = { policy = "eks", control_plane_version = "1.36", node_pool_versions = { general = "1.36", gpu = "1.35" } }
    batch = { policy = "gke", control_plane_version = "1.36.1-gke.1350000", node_pool_versions = { general = "1.35.6-gke.1026000" } }
  }
}

variable "as_of" {
  description = "Date to check for. Defaults to the current date."
  type        = string
  default     = null
}

module "cluster" {
  source   = "../modules/cluster"
  for_each = var.clusters

  policy                = each.value.policy
  control_plane_version = each.value.control_plane_version
  node_pool_versions    = each.value.node_pool_versions
  as_of                 = var.as_of
}

output "clusters" {
  description = "Clusters of the ring, for production and for the page of the fleet."
  value       = { for name, cluster in module.cluster : name => cluster.published }
}
