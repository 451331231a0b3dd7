# What a call of terraform-google-modules/kubernetes-engine/google depends on: the
# arguments of the example, and the versions that the module sets.

variable "project_id" {
  type = string
}

variable "name" {
  type = string
}

variable "region" {
  type = string
}

variable "network" {
  type = string
}

variable "subnetwork" {
  type = string
}

variable "ip_range_pods" {
  type = string
}

variable "ip_range_services" {
  type = string
}

variable "kubernetes_version" {
  type = string
}

variable "release_channel" {
  type = string
}

variable "node_pools" {
  type = list(map(any))
}

resource "google_container_cluster" "primary" {
  project                  = var.project_id
  name                     = var.name
  location                 = var.region
  network                  = var.network
  subnetwork               = var.subnetwork
  min_master_version       = var.kubernetes_version
  remove_default_node_pool = true
  initial_node_count       = 1

  release_channel {
    channel = var.release_channel
  }

  ip_allocation_policy {
    cluster_secondary_range_name  = var.ip_range_pods
    services_secondary_range_name = var.ip_range_services
  }
}

resource "google_container_node_pool" "pools" {
  for_each = { for pool in var.node_pools : pool.name => pool }

  name    = each.key
  cluster = google_container_cluster.primary.name
  version = each.value.auto_upgrade ? "" : lookup(each.value, "version", google_container_cluster.primary.min_master_version)
}

output "min_master_version" {
  value = google_container_cluster.primary.min_master_version
}

output "node_pools_versions" {
  value = { for pool in google_container_node_pool.pools : pool.name => pool.version }
}
