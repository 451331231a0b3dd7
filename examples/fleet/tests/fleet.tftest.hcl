# Only child modules use these providers. versions.tf requires each of them with the same
# source as the modules do. Otherwise the mock would not apply to the modules.
mock_provider "aws" {}
mock_provider "azapi" {}
mock_provider "google" {}
mock_provider "hcloud" {}
mock_provider "kubernetes" {}
mock_provider "ssh" {}
mock_provider "talos" {}

# azapi_update_resource takes these IDs apart, so they cannot be random text.
mock_provider "azurerm" {
  mock_resource "azurerm_kubernetes_cluster" {
    defaults = {
      id = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example/providers/Microsoft.ContainerService/managedClusters/shop"
    }
  }
  mock_resource "azurerm_kubernetes_cluster_node_pool" {
    defaults = {
      id = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example/providers/Microsoft.ContainerService/managedClusters/shop/agentPools/windows"
    }
  }
}

run "fleet" {
  assert {
    condition     = output.control_planes.eks == "1.36" && output.control_planes.aks == "1.35.4"
    error_message = "Each module should set the declared version."
  }
}
