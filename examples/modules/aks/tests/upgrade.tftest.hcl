# One life of one cluster, without Azure: each run starts from what the one before
# has left. A plan that the guard refuses fails a run.

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
    error_message = "The cluster has the name that was asked for."
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

# A rollback of a node pool to the version that it had before.
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
