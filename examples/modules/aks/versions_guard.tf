# Fails the plan if versions violate the policy, now or during the apply. Copy this
# file into a module with the resources of main.tf and with variables for the
# subscription, the resource group and the name of the cluster.

variable "observe" {
  description = "Whether to read the running versions from Azure in every plan. Set it to false until the resource group exists."
  type        = bool
  default     = true
}

variable "waivers" {
  description = "Accepted findings, keyed by a name you choose: which rule, where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}

# What runs now. This data source does not depend on a managed resource, so it is
# read during the plan. It lists clusters, so it also works before the cluster exists.
data "azapi_resource_list" "running" {
  count = var.observe ? 1 : 0

  type                   = "Microsoft.ContainerService/managedClusters@2025-07-01"
  parent_id              = "/subscriptions/${var.subscription_id}/resourceGroups/${var.resource_group_name}"
  response_export_values = ["value"]
}

# What Azure offers in the region.
data "azurerm_kubernetes_service_versions" "offered" {
  location        = var.location
  include_preview = false
}

# A replaced cluster keeps its Azure ID. This ID changes with every replacement.
resource "terraform_data" "cluster_id" {
  lifecycle {
    replace_triggered_by = [azurerm_kubernetes_cluster.main.id]
  }
}

locals {
  offered_versions = data.azurerm_kubernetes_service_versions.offered.versions
}

resource "versionskew_validation" "this" {
  policy = "aks"

  # The arguments that set versions. A pool without a version keeps the one it was
  # created with, which is unknown only in the plan that creates it.
  control_plane_version = azapi_update_resource.control_plane.body.properties.kubernetesVersion
  node_pools = merge(
    {
      for pool in azurerm_kubernetes_cluster.main.default_node_pool : pool.name => {
        kubelet = try(azapi_update_resource.node_pool[pool.name].body.properties.orchestratorVersion, pool.orchestrator_version)
      }
    },
    {
      for name, pool in azurerm_kubernetes_cluster_node_pool.main : name => {
        kubelet = try(azapi_update_resource.node_pool[name].body.properties.orchestratorVersion, pool.orchestrator_version)
      }
    },
  )

  cluster_id = terraform_data.cluster_id.id

  observed = one([
    for cluster in try(data.azapi_resource_list.running[0].output.value, []) : {
      control_plane_version = cluster.properties.currentKubernetesVersion
      node_pools = {
        for pool in cluster.properties.agentPoolProfiles : pool.name => { kubelet = pool.currentOrchestratorVersion }
      }
    } if cluster.name == var.cluster_name
  ])

  available_versions = local.offered_versions

  # Azure also accepts the version of the control plane for a node pool, even if it has
  # retired that version.
  available_node_versions = length(local.offered_versions) == 0 ? [] : concat(local.offered_versions, [azapi_update_resource.control_plane.body.properties.kubernetesVersion])

  waivers = var.waivers

  # Records the new versions only after the upgrade has succeeded.
  depends_on = [
    azurerm_kubernetes_cluster.main, azurerm_kubernetes_cluster_node_pool.main,
    azapi_update_resource.control_plane, azapi_update_resource.node_pool,
  ]
}
