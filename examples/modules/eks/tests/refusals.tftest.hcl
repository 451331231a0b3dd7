# What is refused before anything is made: these runs only plan.

variables {
  name               = "production"
  kubernetes_version = "1.35"
  eks_managed_node_groups = {
    general = {}
    gpu     = { kubernetes_version = "1.33" }
  }
  kubectl_versions = ["1.36.1"]
}

run "node_group_too_old" {
  command = plan

  variables {
    eks_managed_node_groups = { gpu = { kubernetes_version = "1.31" } }
  }

  expect_failures = [terraform_data.node_group["gpu"]]
}

run "node_group_newer_than_control_plane" {
  command = plan

  variables {
    eks_managed_node_groups = { gpu = { ami_release_version = "1.36.1-20260610" } }
  }

  expect_failures = [terraform_data.node_group["gpu"]]
}

run "pinned_kube_proxy_ages" {
  command = plan

  variables {
    addons = {
      kube-proxy = { addon_version = "v1.31.10-eksbuild.2" }
    }
  }

  expect_failures = [terraform_data.node_group["general"], terraform_data.node_group["gpu"]]
}

# What the resource refuses ends a run, and can't be expected: have it warn, and
# look at the findings.
run "old_kubectl" {
  command = plan

  variables {
    kubectl_versions  = ["1.32.2"]
    enforcement_level = "advisory"
  }

  assert {
    condition     = !output.supported && output.findings[0].rule == "kubectl-apiserver"
    error_message = "A client three minors behind breaks the policy."
  }
}

run "waiver" {
  command = plan

  variables {
    eks_managed_node_groups = { gpu = { kubernetes_version = "1.31" } }
    addons = {
      kube-proxy = { addon_version = "v1.34.1-eksbuild.2" } # 1.35 may not run beside kubelet 1.31
    }
    waivers = {
      gpu-drivers = {
        rule      = "kubelet-apiserver"
        locations = ["node_pools[\"gpu\"]"]
        reason    = "The driver for newer kernels comes with the next image."
        expires   = "2099-12-31"
      }
    }
  }

  assert {
    condition     = output.supported && output.findings[0].waived_by == "gpu-drivers"
    error_message = "The waiver accepts the finding."
  }
}

run "expired_waiver" {
  command = plan

  variables {
    eks_managed_node_groups = { gpu = { kubernetes_version = "1.31" } }
    waivers = {
      gpu-drivers = {
        rule    = "kubelet-apiserver"
        reason  = "The driver for newer kernels comes with the next image."
        expires = "2026-01-31"
      }
    }
  }

  expect_failures = [terraform_data.node_group["gpu"]]
}

run "control_plane_takes_a_minor" {
  command = plan

  variables {
    kubernetes_version = "1.35.2"
  }

  expect_failures = [var.kubernetes_version]
}

run "ami_release_is_a_version" {
  command = plan

  variables {
    eks_managed_node_groups = { gpu = { ami_release_version = "latest" } }
  }

  expect_failures = [var.eks_managed_node_groups]
}

run "version_without_quotes" {
  command = plan

  variables {
    kubernetes_version = 1.30
  }

  expect_failures = [var.kubernetes_version]
}
