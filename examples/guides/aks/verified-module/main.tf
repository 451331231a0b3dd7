terraform {
  required_version = ">= 1.11"

  required_providers {
    azapi = {
      source  = "Azure/azapi"
      version = ">= 2.12, < 3.0"
    }
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 4.81, < 6.0"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

# Only reads the offered versions.
provider "azurerm" {
  features {}
}

variable "kubernetes_version" {
  type    = string
  default = "1.35.4"
}

variable "agent_pools" {
  type = map(object({
    name                 = string
    orchestrator_version = optional(string)
  }))
  default = {
    gpu   = { name = "gpu", orchestrator_version = "1.34.3" }
    batch = { name = "batch" }
  }
}

module "aks" {
  source  = "Azure/avm-res-containerservice-managedcluster/azurerm"
  version = "~> 0.8"

  name               = "production"
  location           = "westeurope"
  parent_id          = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example"
  kubernetes_version = var.kubernetes_version
  agent_pools        = var.agent_pools
}

# What Azure offers in the region.
data "azurerm_kubernetes_service_versions" "offered" {
  location        = "westeurope"
  include_preview = false
}

resource "versionskew_validation" "aks" {
  policy                = "aks"
  control_plane_version = var.kubernetes_version

  # A pool without a version follows the cluster.
  node_pools = merge(
    { systempool = { kubelet = var.kubernetes_version } },
    { for name, pool in var.agent_pools : name => { kubelet = coalesce(pool.orchestrator_version, var.kubernetes_version) } },
  )

  # Additional pools do not depend on the resource that upgrades the control plane.
  apply_order = "unordered"

  available_versions = data.azurerm_kubernetes_service_versions.offered.versions

  depends_on = [module.aks]
}
