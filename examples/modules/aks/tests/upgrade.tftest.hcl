# The life of a cluster, with mocked providers. Each run starts from the state that the
# previous run has left. A run fails if the guard fails its plan.

mock_provider "azurerm" {
  mock_resource "azurerm_kubernetes_cluster" {
    defaults = {
      id = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example/providers/Microsoft.ContainerService/managedClusters/production"
    }
  }
  mock_resource "azurerm_kubernetes_cluster_node_pool" {
    defaults = {
      id = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/example/providers/Microsoft.ContainerService/managedClusters/production/agentPools/gpu"
    }
  }
}

mock_provider "azapi" {}

variables {
  resource_group_name  = "example"
  cluster_name         = "production"
  kubernetes_version   = "1.35.4"
  orchestrator_version = "1.35.4"
  node_pools           = { gpu = { orchestrator_version = "1.35.4" } }
}

run "created" {
  assert {
    condition     = output.aks_name == "production"
    error_message = "The cluster should have the given name."
  }
}

run "control_plane" {
  variables {
    kubernetes_version = "1.36.2"
  }
}

# The pool gpu stays at 1.35.
run "node_pools" {
  variables {
    kubernetes_version   = "1.36.2"
    orchestrator_version = "1.36.2"
  }
}

# Rolls a node pool back to its previous version.
run "rollback" {
  variables {
    kubernetes_version   = "1.36.2"
    orchestrator_version = "1.35.4"
  }
}

run "version_without_quotes" {
  command = plan

  variables {
    kubernetes_version = 1.30
  }

  expect_failures = [var.kubernetes_version]
}
