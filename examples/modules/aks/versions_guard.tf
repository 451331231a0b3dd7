# Refuses a plan whose versions break the policy, now or on the way. Copy this
# file into a module with the resources of main.tf, and variables for the
# subscription, the resource group and the name of the cluster.

variable "observe" {
  description = "Read what runs from Azure before every plan. Set it to false while the resource group doesn't exist."
  type        = bool
  default     = true
}

variable "waivers" {
  description = "Findings that you accept, by a name you choose: which rule, where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}

# What runs now. This data source takes nothing from a resource, so that it is
# read in the plan. It lists clusters, so that it doesn't fail without one.
data "azapi_resource_list" "running" {
  count = var.observe ? 1 : 0

  type                   = "Microsoft.ContainerService/managedClusters@2025-07-01"
  parent_id              = "/subscriptions/${var.subscription_id}/resourceGroups/${var.resource_group_name}"
  response_export_values = ["value"]
}

# Azure gives a new cluster the ID of the one that it replaces. This ID is
# replaced together with the cluster.
resource "terraform_data" "cluster_id" {
  lifecycle {
    replace_triggered_by = [azurerm_kubernetes_cluster.main.id]
  }
}

resource "versionskew_validation" "this" {
  policy = "aks"

  # The arguments that move versions. A pool without a version has the one that it
  # was created with, which is unknown only in the plan that creates it.
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

  waivers = var.waivers

  # The new versions are recorded only once the upgrade has succeeded.
  depends_on = [
    azurerm_kubernetes_cluster.main, azurerm_kubernetes_cluster_node_pool.main,
    azapi_update_resource.control_plane, azapi_update_resource.node_pool,
  ]
}
