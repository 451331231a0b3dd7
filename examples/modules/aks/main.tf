# An AKS cluster. As in the module Azure/aks/azurerm, the cluster and its node pools
# ignore changes of their versions. azapi_update_resource upgrades them instead.

resource "azurerm_kubernetes_cluster" "main" {
  name                = var.cluster_name
  location            = var.location
  resource_group_name = var.resource_group_name
  dns_prefix          = var.cluster_name
  kubernetes_version  = var.kubernetes_version

  default_node_pool {
    name                 = var.agents_pool_name
    vm_size              = var.agents_size
    node_count           = 1
    orchestrator_version = var.orchestrator_version
  }

  identity {
    type = "SystemAssigned"
  }

  # Required since version 5 of the provider.
  node_provisioning_profile {
    mode = "Manual"
  }

  lifecycle {
    ignore_changes = [kubernetes_version, default_node_pool[0].orchestrator_version]
  }
}

# Upgrades the control plane.
resource "azapi_update_resource" "control_plane" {
  type        = "Microsoft.ContainerService/managedClusters@2025-07-01"
  resource_id = azurerm_kubernetes_cluster.main.id
  body        = { properties = { kubernetesVersion = var.kubernetes_version } }
}

resource "azurerm_kubernetes_cluster_node_pool" "main" {
  for_each = var.node_pools

  name                  = each.key
  kubernetes_cluster_id = azurerm_kubernetes_cluster.main.id
  vm_size               = each.value.vm_size
  node_count            = each.value.node_count
  orchestrator_version  = each.value.orchestrator_version

  lifecycle {
    ignore_changes = [orchestrator_version]
  }

  depends_on = [azapi_update_resource.control_plane]
}

# Upgrades the node pools that have a version. A pool without one keeps the version
# it was created with, even if the control plane is upgraded.
resource "azapi_update_resource" "node_pool" {
  for_each = merge(
    { for name, pool in var.node_pools : name => pool.orchestrator_version if pool.orchestrator_version != null },
    var.orchestrator_version == null ? {} : { (var.agents_pool_name) = var.orchestrator_version },
  )

  type = "Microsoft.ContainerService/managedClusters/agentPools@2025-07-01"
  resource_id = (each.key == var.agents_pool_name
    ? "${azurerm_kubernetes_cluster.main.id}/agentPools/${each.key}"
    : azurerm_kubernetes_cluster_node_pool.main[each.key].id
  )
  body = { properties = { orchestratorVersion = each.value } }

  depends_on = [azapi_update_resource.control_plane]
}
