terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "strategy" {
  type    = string
  default = "fewest_rollouts"
}

variable "held" {
  description = "Names of node pools that must not be upgraded."
  type        = list(string)
  default     = []
}

variable "newest" {
  description = "Newest version of each node pool that cannot reach the target."
  type        = map(string)
  default     = {}
}

data "versionskew_upgrade_plan" "cluster" {
  # The versions that run now.
  control_plane_version = "1.33.11"
  node_pools = {
    general = { kubelet = "1.33.11" }
    gpu     = { kubelet = "1.31.14" }
  }
  kube_proxy = "1.32.6" # the add-on
  kubectl    = ["1.33.4"]

  target_version         = "1.37"
  strategy               = var.strategy
  held_node_pools        = var.held
  max_node_pool_versions = var.newest
  policy                 = "eks"
}

output "plan" {
  description = "The plan in Markdown."
  value       = data.versionskew_upgrade_plan.cluster.markdown
}

output "picture" {
  value = data.versionskew_upgrade_plan.cluster.svg
}

output "rollouts" {
  value = data.versionskew_upgrade_plan.cluster.node_pool_rollouts
}

output "applies" {
  value = data.versionskew_upgrade_plan.cluster.applies
}

# The versions to declare next.
output "next" {
  value = data.versionskew_upgrade_plan.cluster.next
}
