# One life of one cluster: each run that applies starts from what the one before
# has left.

variables {
  project_id         = "example"
  name               = "production"
  kubernetes_version = "1.34.5-gke.1350000"
  node_pools = [
    { name = "general" },
    { name = "gpu", version = "1.33.8-gke.1026000" },
  ]
}

run "sound_cluster" {
  assert {
    condition     = output.supported && output.node_pools_versions["general"] == "1.34.5-gke.1350000"
    error_message = "A node pool without a version follows the control plane."
  }
  assert {
    condition     = output.allowed_node_pool_versions == tolist(["1.32", "1.33", "1.34"])
    error_message = "Node pools may be up to two minors behind."
  }
  assert {
    condition     = length(output.next_control_plane_version.blocked_by) == 0
    error_message = "No node pool is in the way of ${output.next_control_plane_version.version}."
  }
}

run "control_plane_moves" {
  variables {
    kubernetes_version = "1.35.3-gke.1389000"
    node_pools = [
      { name = "general", version = "1.34.5-gke.1350000" },
      { name = "gpu", version = "1.33.8-gke.1026000" },
    ]
  }

  assert {
    condition     = output.master_version == "1.35.3-gke.1389000" && length(output.next_control_plane_version.blocked_by) > 0
    error_message = "The GPU nodes have to move before 1.36."
  }
}

# Node pools may leave one minor out, the control plane may not.
run "node_pools_follow" {
  variables {
    kubernetes_version = "1.35.3-gke.1389000"
    node_pools = [
      { name = "general" },
      { name = "gpu" },
    ]
  }

  assert {
    condition     = output.supported && output.node_pools_versions["gpu"] == "1.35.3-gke.1389000"
    error_message = "A node pool moves up by two minors at once."
  }
}
