# One life of one cluster, without AWS: each run starts from what the one before
# has left. A plan that the guard refuses fails a run.

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
    error_message = "A node group without a version follows the cluster."
  }
}

# Everything that follows may move in the same apply, for the control plane comes
# first.
run "control_plane" {
  variables {
    kubernetes_version = "1.36"
  }

  assert {
    condition     = output.node_group_versions["general"] == "1.36"
    error_message = "A node group without a version follows the cluster."
  }
}

run "add_on_follows" {
  variables {
    kubernetes_version = "1.36"
    kube_proxy_version = "v1.36.0-eksbuild.2"
  }
}

# After an upgrade in the console, what runs counts: 1.37 is one step from it.
run "what_runs_counts" {
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
