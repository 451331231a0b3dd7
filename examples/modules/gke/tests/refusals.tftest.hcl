# What is refused before anything is made: these runs only plan.

variables {
  project_id         = "example"
  name               = "production"
  kubernetes_version = "1.34.5-gke.1350000"
  node_pools = [
    { name = "general" },
    { name = "gpu", version = "1.33.8-gke.1026000" },
  ]
}

run "node_pool_too_old" {
  command = plan

  variables {
    node_pools = [{ name = "gpu", version = "1.31.14-gke.1423000" }]
  }

  expect_failures = [terraform_data.node_pool["gpu"]]
}

run "node_pool_newer_than_control_plane" {
  command = plan

  variables {
    node_pools = [{ name = "general" }, { name = "gpu", version = "1.35.3-gke.1389000" }]
  }

  expect_failures = [terraform_data.node_pool["gpu"]]
}

run "auto_upgrade_far_behind" {
  command = plan

  variables {
    kubernetes_version = "1.35.3-gke.1389000"
    node_pools         = [{ name = "gpu", version = "1.33.8-gke.1026000", auto_upgrade = true }]
  }

  expect_failures = [check.auto_upgrade]
}

run "waiver" {
  command = plan

  variables {
    kubernetes_version = "1.35.3-gke.1389000"
    node_pools         = [{ name = "gpu", version = "1.32.11-gke.1059000" }]
    waivers = {
      gpu-kubelet    = { rule = "kubelet-apiserver", reason = "The pool is removed with the end of the contract.", expires = "2099-12-31" }
      gpu-kube-proxy = { rule = "kube-proxy-apiserver", reason = "The pool is removed with the end of the contract.", expires = "2099-12-31" }
    }
  }

  assert {
    condition     = output.supported
    error_message = "The waivers accept the findings."
  }
}

run "latest_is_no_version" {
  command = plan

  variables {
    kubernetes_version = "latest"
  }

  expect_failures = [var.kubernetes_version]
}

run "node_pool_names_are_unique" {
  command = plan

  variables {
    node_pools = [{ name = "gpu" }, { name = "gpu", version = "1.33" }]
  }

  expect_failures = [var.node_pools]
}

run "version_without_quotes" {
  command = plan

  variables {
    kubernetes_version = 1.30
  }

  expect_failures = [var.kubernetes_version]
}
