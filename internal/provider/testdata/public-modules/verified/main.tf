# What a call of Azure/avm-res-containerservice-managedcluster/azurerm depends on: the
# arguments of the example.

terraform {
  required_providers {
    azapi = {
      source = "Azure/azapi"
    }
  }
}

variable "name" {
  type = string
}

variable "location" {
  type = string
}

variable "parent_id" {
  type = string
}

variable "kubernetes_version" {
  type = string
}

variable "agent_pools" {
  type = map(object({
    name                 = string
    orchestrator_version = optional(string)
  }))
}

resource "azapi_resource" "this" {
  type      = "Microsoft.ContainerService/managedClusters@2025-07-01"
  name      = var.name
  parent_id = var.parent_id
  location  = var.location
  body      = { properties = { kubernetesVersion = var.kubernetes_version } }
}

resource "azapi_resource" "agent_pool" {
  for_each = var.agent_pools

  type      = "Microsoft.ContainerService/managedClusters/agentPools@2025-07-01"
  name      = each.value.name
  parent_id = azapi_resource.this.id
  body = {
    properties = {
      orchestratorVersion = each.value.orchestrator_version != null ? each.value.orchestrator_version : var.kubernetes_version
    }
  }
}
