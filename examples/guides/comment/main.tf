terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "cluster_version" {
  type    = string
  default = "1.36"
}

variable "node_group_version" {
  type    = string
  default = "1.36"
}

locals {
  declared = { general = { kubelet = var.node_group_version }, gpu = { kubelet = var.node_group_version } }

  # What runs now. Read it with data sources of your cloud.
  observed = {
    control_plane_version = "1.34"
    node_pools            = { general = { kubelet = "1.34" }, gpu = { kubelet = "1.32" } }
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.declared
  observed              = local.observed
  policy                = "eks"
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = local.declared
  observed              = local.observed
  policy                = "eks"
}

# The way from what runs to what is declared.
data "versionskew_upgrade_plan" "cluster" {
  control_plane_version = local.observed.control_plane_version
  node_pools            = local.observed.node_pools
  target_version        = var.cluster_version
  policy                = "eks"
}

# Sensitive outputs keep the long texts out of the printed plan.
output "comment" {
  sensitive = true
  value = [
    data.versionskew_evaluation.cluster.markdown,
    data.versionskew_upgrade_plan.cluster.markdown,
  ]
}

output "pictures" {
  sensitive = true
  value = {
    versions = data.versionskew_evaluation.cluster.svg
    upgrade  = data.versionskew_upgrade_plan.cluster.svg
  }
}
