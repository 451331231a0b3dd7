# The life of a cluster, with mocked providers. Each run starts from the state that the
# previous run has left. A run fails if the guard fails its plan.

mock_provider "aws" {}

variables {
  name               = "production"
  kubernetes_version = "1.35"
  kube_proxy_version = "v1.35.0-eksbuild.2"
  eks_managed_node_groups = {
    general = {}
    gpu     = { kubernetes_version = "1.33" }
  }
}

run "created" {
  assert {
    condition     = output.node_group_versions == { general = "1.35", gpu = "1.33" }
    error_message = "A node group without a version should follow the cluster."
  }
}

# Node groups without a version are upgraded in the same apply, after the control
# plane.
run "control_plane" {
  variables {
    kubernetes_version = "1.36"
  }

  assert {
    condition     = output.node_group_versions["general"] == "1.36"
    error_message = "A node group without a version should follow the cluster."
  }
}

run "add_on_follows" {
  variables {
    kubernetes_version = "1.36"
    kube_proxy_version = "v1.36.0-eksbuild.2"
  }
}

# The cluster was upgraded to 1.37 in the console, so the step to 1.38 starts there.
run "upgraded_in_the_console" {
  command = plan

  override_data {
    target = data.aws_eks_clusters.running
    values = { names = ["production"] }
  }
  override_data {
    target = data.aws_eks_cluster.running
    values = { version = "1.37" }
  }
  override_data {
    target = data.aws_eks_node_groups.running
    values = { names = ["general", "gpu"] }
  }
  override_data {
    target = data.aws_eks_node_group.running
    values = { version = "1.36" }
  }
  override_data {
    target = data.aws_eks_addon.running
    values = { addon_version = "v1.36.0-eksbuild.2" }
  }

  variables {
    kubernetes_version = "1.38"
    kube_proxy_version = "v1.36.0-eksbuild.2"
    eks_managed_node_groups = {
      general = { kubernetes_version = "1.37" }
      gpu     = { kubernetes_version = "1.36" }
    }
  }
}

run "version_without_quotes" {
  command = plan

  variables {
    kubernetes_version = 1.30
  }

  expect_failures = [var.kubernetes_version]
}
