# Calls the module in examples/modules/eks with the versions from an upgrade plan. Each
# apply performs one stage. Without a target version, it creates the cluster at the start
# versions.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "start" {
  type = object({
    control_plane_version = string
    node_groups           = map(string)
    kube_proxy            = string
  })
}

variable "target_version" {
  type    = string
  default = null
}

variable "strategy" {
  type    = string
  default = null
}

variable "available_versions" {
  type    = list(string)
  default = null
}

variable "held_node_pools" {
  type    = list(string)
  default = null
}

locals {
  name      = "main"
  upgrading = var.target_version != null
}

data "aws_eks_cluster" "running" {
  count = local.upgrading ? 1 : 0

  name = local.name
}

data "aws_eks_node_group" "running" {
  for_each = local.upgrading ? var.start.node_groups : {}

  cluster_name    = local.name
  node_group_name = each.key
}

data "aws_eks_addon" "running" {
  count = local.upgrading ? 1 : 0

  cluster_name = local.name
  addon_name   = "kube-proxy"
}

data "versionskew_upgrade_plan" "this" {
  count = local.upgrading ? 1 : 0

  policy                = "eks"
  control_plane_version = data.aws_eks_cluster.running[0].version
  node_pools            = { for name, group in data.aws_eks_node_group.running : name => { kubelet = group.version } }
  kube_proxy            = data.aws_eks_addon.running[0].addon_version
  target_version        = var.target_version
  available_versions    = var.available_versions
  strategy              = var.strategy
  held_node_pools       = var.held_node_pools
}

locals {
  # If the target cannot be reached, next is null and the expressions below fail.
  next = local.upgrading ? data.versionskew_upgrade_plan.this[0].next : null
  desired = {
    control_plane_version = local.upgrading ? local.next.control_plane_version : var.start.control_plane_version
    node_groups           = local.upgrading ? { for name, pool in local.next.node_pools : name => pool.kubelet } : var.start.node_groups
    kube_proxy            = local.upgrading ? local.next.kube_proxy : var.start.kube_proxy
  }
  # If the add-on moves, the upgrade plan returns its minor. AWS returns the version of
  # the add-on for that minor.
  add_on_minors = local.upgrading && can(regex("^1\\.[0-9]+$", local.desired.kube_proxy)) ? [local.desired.kube_proxy] : []
}

data "aws_eks_addon_version" "kube_proxy" {
  for_each = toset(local.add_on_minors)

  addon_name         = "kube-proxy"
  kubernetes_version = each.key
}

module "eks" {
  source = "./eks"

  name                    = local.name
  kubernetes_version      = local.desired.control_plane_version
  eks_managed_node_groups = { for name, version in local.desired.node_groups : name => { kubernetes_version = version } }
  kube_proxy_version      = try(data.aws_eks_addon_version.kube_proxy[local.desired.kube_proxy].version, local.desired.kube_proxy)
}

output "stages_left" {
  value = try(length(data.versionskew_upgrade_plan.this[0].stages), 0)
}
