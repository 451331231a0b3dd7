# What a call of Azure/aks/azurerm depends on: the arguments of the example, and the
# versions that the module sets.

variable "resource_group_name" {
  type = string
}

variable "location" {
  type = string
}

variable "prefix" {
  type = string
}

variable "kubernetes_version" {
  type = string
}

variable "orchestrator_version" {
  type = string
}

variable "node_pools" {
  type = map(object({
    name                 = string
    orchestrator_version = optional(string)
    vm_size              = string
  }))
}

resource "azurerm_kubernetes_cluster" "main" {
  name                = "${var.prefix}-aks"
  location            = var.location
  resource_group_name = var.resource_group_name
  dns_prefix          = var.prefix
  kubernetes_version  = var.kubernetes_version

  default_node_pool {
    name                 = "nodepool"
    vm_size              = "Standard_D2s_v5"
    node_count           = 1
    orchestrator_version = var.orchestrator_version
  }

  identity {
    type = "SystemAssigned"
  }

  node_provisioning_profile {
    mode = "Manual"
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "node_pool" {
  for_each = var.node_pools

  name                  = each.value.name
  kubernetes_cluster_id = azurerm_kubernetes_cluster.main.id
  vm_size               = each.value.vm_size
  orchestrator_version  = each.value.orchestrator_version
}
