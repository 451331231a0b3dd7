# The cloud is mocked; the versions are checked for real.
mock_provider "aws" {}

run "declared_versions_fit" {
  assert {
    condition     = data.versionskew_evaluation.cluster.supported
    error_message = join(" ", data.versionskew_evaluation.cluster.findings[*].message)
  }
}

# The run before has been applied: this is an upgrade from there.
run "next_minor" {
  command = plan

  variables {
    cluster_version = "1.36"
  }
}

# A plan that fails cannot be asserted on, so that here it only warns.
run "old_node_group_is_found" {
  command = plan

  variables {
    node_group_versions = { general = "1.35", gpu = "1.31" }
    enforcement_level   = "advisory"
  }

  assert {
    condition     = contains(data.versionskew_evaluation.cluster.findings[*].rule, "kubelet-apiserver")
    error_message = "A node group four minors behind should be found."
  }
}
