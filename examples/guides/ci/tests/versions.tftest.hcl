# Only the cloud is mocked. Versions are checked for real. Without mock_data, version
# would be random text.
mock_provider "aws" {
  mock_data "aws_eks_cluster" {
    defaults = { version = "1.36" }
  }
}

run "declared_versions_fit" {
  assert {
    condition     = data.versionskew_evaluation.cluster.supported
    error_message = join(" ", data.versionskew_evaluation.cluster.findings[*].message)
  }
}

# The previous run has been applied, so this is an upgrade from there.
run "next_minor" {
  command = plan

  variables {
    cluster_version = "1.36"
  }
}

# The cluster was upgraded in the console. The step starts from there.
run "running_version" {
  command = plan

  override_data {
    target = data.aws_eks_clusters.all
    values = { names = ["production"] }
  }

  variables {
    cluster_version     = "1.37"
    node_group_versions = { general = "1.36", gpu = "1.36" }
  }
}

# Assertions do not run if the plan fails, so this run only warns.
run "old_node_group_is_found" {
  command = plan

  variables {
    node_group_versions = { general = "1.35", gpu = "1.31" }
    enforcement_level   = "advisory"
  }

  assert {
    condition     = contains(data.versionskew_evaluation.cluster.findings[*].rule, "kubelet-apiserver")
    error_message = "A node group four minor versions behind should be reported."
  }
}
