# Upgrades a cluster stage by stage: each apply takes one stage of the upgrade plan. The
# upgrade is complete when an apply has no changes.
#
# A real module reads the running versions from the data sources of its cloud. This
# example does not create a cluster, and keeps the versions in running.json instead.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "target_version" {
  type    = string
  default = "1.34"
}

locals {
  running_file = "${path.module}/running.json"
  first = {
    control_plane_version = "1.28"
    node_pools = {
      general = { kubelet = "1.28", kube_proxy = "1.28" }
      gpu     = { kubelet = "1.27", kube_proxy = "1.27" }
    }
    kubectl = ["1.29"]
  }
  running = try(jsondecode(file(local.running_file)), local.first)
}

data "versionskew_upgrade_plan" "cluster" {
  control_plane_version = local.running.control_plane_version
  node_pools            = local.running.node_pools
  kubectl               = local.running.kubectl
  target_version        = var.target_version
}

locals {
  plan = data.versionskew_upgrade_plan.cluster

  # If the target cannot be reached, next is null and the cluster stays as it is.
  desired = {
    control_plane_version = try(local.plan.next.control_plane_version, local.running.control_plane_version)
    node_pools            = try(local.plan.next.node_pools, local.running.node_pools)
    kubectl               = try(local.plan.next.kubectl, local.running.kubectl)
  }
}

# Placeholder for the cluster. It is replaced with every upgrade, unlike a real one.
resource "terraform_data" "cluster" {
  triggers_replace = local.desired

  provisioner "local-exec" {
    command     = "printf '%s' \"$RUNNING\" > running.json"
    working_dir = path.module
    environment = {
      RUNNING = jsonencode(local.desired)
    }
  }

  lifecycle {
    precondition {
      condition     = local.plan.feasible
      error_message = join("\n", local.plan.findings[*].message)
    }
  }
}

# Fails any step that violates the policy, whether it follows the plan or not.
resource "versionskew_validation" "cluster" {
  control_plane_version = local.desired.control_plane_version
  node_pools            = local.desired.node_pools
  kubectl               = local.desired.kubectl

  depends_on = [terraform_data.cluster]
}

output "this_apply" {
  description = "The stage that this apply takes."
  value       = try(local.plan.stages[0], null)
}

output "stages_left" {
  description = "Number of remaining stages, including this one."
  value       = length(local.plan.stages)
}

output "applies_left" {
  description = "Number of remaining applies if each takes as many stages as possible."
  value       = local.plan.applies
}

output "plan" {
  value = local.plan.markdown
}
