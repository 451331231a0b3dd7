# The module as it is: the versions are variables, and every resource takes its
# version from one of them.

terraform {
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

provider "azurerm" {
  features {}
}

variable "kubernetes_version" {
  type    = string
  default = "1.35.5"
}

variable "node_pool_versions" {
  description = "Versions of the node pools; system is the default one"
  type        = map(string)
  default = {
    system = "1.35.5"
    batch  = "1.35.5"
  }
}

resource "azurerm_kubernetes_cluster" "main" {
  name                = "production"
  location            = "westeurope"
  resource_group_name = "production"
  dns_prefix          = "production"
  kubernetes_version  = var.kubernetes_version

  default_node_pool {
    name                 = "system"
    vm_size              = "Standard_D4s_v5"
    node_count           = 3
    orchestrator_version = var.node_pool_versions["system"]
  }

  identity {
    type = "SystemAssigned"
  }
}

resource "azurerm_kubernetes_cluster_node_pool" "main" {
  for_each = { for name, version in var.node_pool_versions : name => version if name != "system" }

  name                  = each.key
  kubernetes_cluster_id = azurerm_kubernetes_cluster.main.id
  vm_size               = "Standard_D4s_v5"
  node_count            = 3
  orchestrator_version  = each.value
}
