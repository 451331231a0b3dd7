# AKS chooses the version of the node pool. A mock sets attributes that are not configured
# to random text, which is not a version, so it needs a default.
mock_provider "azurerm" {
  mock_resource "azurerm_kubernetes_cluster" {
    defaults = {
      id = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example/providers/Microsoft.ContainerService/managedClusters/production"
    }
  }
  mock_resource "azurerm_kubernetes_cluster_node_pool" {
    defaults = {
      id                   = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example/providers/Microsoft.ContainerService/managedClusters/production/agentPools/batch"
      orchestrator_version = "1.35.4"
    }
  }
}

mock_provider "azapi" {}

variables {
  resource_group_name  = "example"
  cluster_name         = "production"
  kubernetes_version   = "1.35.4"
  orchestrator_version = "1.35.4"
  node_pools           = { batch = {} }
}

# Not command = plan: the version is only known after the apply.
run "created" {
  assert {
    condition     = versionskew_validation.this.node_pools["batch"].kubelet == "1.35.4"
    error_message = "The version that AKS chooses should be checked and recorded."
  }
}
