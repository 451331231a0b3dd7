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

data "versionskew_upgrade_plan" "cluster" {
  # What runs now.
  control_plane_version = "1.33.11"
  node_pools = {
    general = { kubelet = "1.33.11" }
    gpu     = { kubelet = "1.31.14" }
  }
  kubectl = ["1.33.4"]

  target_version = "1.37"
  strategy       = var.strategy
  policy         = "eks"
}

output "plan" {
  description = "The plan as a page"
  value       = data.versionskew_upgrade_plan.cluster.markdown
}

output "rollouts" {
  value = data.versionskew_upgrade_plan.cluster.node_pool_rollouts
}

# What to declare now: the versions after the first stage.
output "next" {
  value = data.versionskew_upgrade_plan.cluster.next
}
