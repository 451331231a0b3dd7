# A cluster that upgrades itself stage by stage: every apply takes exactly one
# stage of the plan, and is done when it has nothing more to do.
#
# What runs is kept in running.json, where a real module would ask its cloud: the
# data source of a cluster, and of its node pools. There is no cluster here, so
# that "upgrading" one writes that file.

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

  # Without a way to the target, next is null: the cluster stays as it is.
  desired = {
    control_plane_version = try(local.plan.next.control_plane_version, local.running.control_plane_version)
    node_pools            = try(local.plan.next.node_pools, local.running.node_pools)
    kubectl               = try(local.plan.next.kubectl, local.running.kubectl)
  }
}

# The cluster: made anew with every version, where a real one would be updated.
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

# The guard refuses any step that violates the policy, planned or not.
resource "versionskew_validation" "cluster" {
  control_plane_version = local.desired.control_plane_version
  node_pools            = local.desired.node_pools
  kubectl               = local.desired.kubectl

  depends_on = [terraform_data.cluster]
}

output "this_apply" {
  description = "What this apply does"
  value       = try(local.plan.stages[0], null)
}

output "stages_left" {
  description = "Stages left, this one included"
  value       = length(local.plan.stages)
}

output "applies_left" {
  description = "Applies left if each takes as many stages as it can"
  value       = local.plan.applies
}

output "plan" {
  value = local.plan.markdown
}
