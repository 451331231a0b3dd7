# What is refused before anything is made: these runs only plan.

variables {
  resource_group_name = "example"
  cluster_name        = "production"
  kubernetes_version  = "1.34.3"
  node_pools = {
    gpu = { orchestrator_version = "1.33.6" }
  }
}

# On AKS, patches count too.
run "patch_newer_than_control_plane" {
  command = plan

  variables {
    node_pools = { gpu = { orchestrator_version = "1.34.4" } }
  }

  expect_failures = [terraform_data.node_pool["gpu"]]
}

run "node_pool_too_old" {
  command = plan

  variables {
    node_pools = { gpu = { orchestrator_version = "1.30.14" } }
  }

  expect_failures = [terraform_data.node_pool["gpu"]]
}

run "default_node_pool_newer_than_control_plane" {
  command = plan

  variables {
    orchestrator_version = "1.35.1"
    node_pools           = {}
  }

  expect_failures = [terraform_data.cluster]
}

run "versions_are_versions" {
  command = plan

  variables {
    kubernetes_version = "stable"
  }

  expect_failures = [var.kubernetes_version]
}

run "version_without_quotes" {
  command = plan

  variables {
    kubernetes_version = 1.30
  }

  expect_failures = [var.kubernetes_version]
}
