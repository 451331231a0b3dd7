# A cluster of Azure AKS: control plane, default node pool and further ones. The
# resources of the cloud are stood in for by terraform_data, so that the module
# runs without an account; each says what it stands for.

locals {
  policy = "aks"

  # The desired versions, in the shape of the provider.
  node_pools = merge(
    { (var.agents_pool_name) = { kubelet = coalesce(var.orchestrator_version, var.kubernetes_version) } },
    { for name, pool in var.node_pools : name => { kubelet = coalesce(pool.orchestrator_version, var.kubernetes_version) } },
  )
}

data "versionskew_evaluation" "this" {
  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  policy                = local.policy
  waivers               = var.waivers
}

locals {
  # What stands against each node pool, in words.
  objections = {
    for name in keys(local.node_pools) : name => [
      for finding in data.versionskew_evaluation.this.findings : "${finding.message} ${finding.remedy}"
      if finding.severity == "error" && finding.waived_by == null && contains(finding.locations, "node_pools[\"${name}\"]")
    ]
  }
}

# Stands for azurerm_kubernetes_cluster, which brings its default node pool.
resource "terraform_data" "cluster" {
  input = {
    name                = var.cluster_name
    resource_group_name = var.resource_group_name
    kubernetes_version  = var.kubernetes_version
    default_node_pool = {
      name                 = var.agents_pool_name
      vm_size              = var.agents_size
      orchestrator_version = local.node_pools[var.agents_pool_name].kubelet
    }
  }

  lifecycle {
    precondition {
      condition     = length(local.objections[var.agents_pool_name]) == 0
      error_message = join("\n\n", concat(["The default node pool does not go together with the cluster \"${var.cluster_name}\"."], local.objections[var.agents_pool_name]))
    }
  }
}

# Stands for azurerm_kubernetes_cluster_node_pool.
resource "terraform_data" "node_pool" {
  for_each = var.node_pools

  input = {
    cluster_name         = terraform_data.cluster.output.name
    name                 = each.key
    orchestrator_version = local.node_pools[each.key].kubelet
    vm_size              = each.value.vm_size
    node_count           = each.value.node_count
  }

  lifecycle {
    # Judged before the pool is made, even if its version is known only during
    # the apply.
    precondition {
      condition     = length(local.objections[each.key]) == 0
      error_message = join("\n\n", concat(["node_pools[\"${each.key}\"] does not go together with the cluster \"${var.cluster_name}\"."], local.objections[each.key]))
    }
  }
}

# Judges the whole plan before anything runs, and the step from the versions of
# the last apply. Because of depends_on, the new versions are recorded only when
# everything has arrived there.
resource "versionskew_validation" "this" {
  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  policy                = local.policy
  waivers               = var.waivers

  depends_on = [terraform_data.cluster, terraform_data.node_pool]
}

data "versionskew_upgrade_plan" "this" {
  count = var.upgrade_target == null ? 0 : 1

  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  target_version        = var.upgrade_target
  available_versions    = var.available_versions
  policy                = local.policy
  waivers               = var.waivers
}
