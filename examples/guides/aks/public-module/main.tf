terraform {
  required_version = ">= 1.11"

  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 4.81, < 6.0"
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
  default = "1.35.4"
}

variable "node_pools" {
  type = map(object({
    name                 = string
    orchestrator_version = string
    vm_size              = string
  }))
  default = {
    gpu = { name = "gpu", orchestrator_version = "1.34.3", vm_size = "Standard_NC4as_T4_v3" }
  }
}

module "aks" {
  source  = "Azure/aks/azurerm"
  version = "~> 11.0"

  resource_group_name  = "example"
  location             = "westeurope"
  prefix               = "production"
  kubernetes_version   = var.kubernetes_version
  orchestrator_version = var.kubernetes_version
  node_pools           = var.node_pools
}

# What Azure offers in the region.
data "azurerm_kubernetes_service_versions" "offered" {
  location        = "westeurope"
  include_preview = false
}

resource "versionskew_validation" "aks" {
  policy                = "aks"
  control_plane_version = var.kubernetes_version
  node_pools = merge(
    { nodepool = { kubelet = var.kubernetes_version } },
    { for name, pool in var.node_pools : name => { kubelet = pool.orchestrator_version } },
  )

  available_versions = data.azurerm_kubernetes_service_versions.offered.versions

  depends_on = [module.aks]
}
