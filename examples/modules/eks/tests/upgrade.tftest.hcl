# One life of one cluster: each run that applies starts from what the one before
# has left.

variables {
  name               = "production"
  kubernetes_version = "1.35"
  eks_managed_node_groups = {
    general = {}
    gpu     = { kubernetes_version = "1.33" }
  }
  kubectl_versions = ["1.36.1"]
}

run "sound_cluster" {
  assert {
    condition     = output.supported
    error_message = "A node group two minors behind is sound."
  }
  assert {
    condition     = output.eks_managed_node_groups["general"] == "1.35" && output.eks_managed_node_groups["gpu"] == "1.33"
    error_message = "A node group without a version follows the control plane."
  }
  assert {
    condition     = output.allowed_versions["kubelet"] == tolist(["1.32", "1.33", "1.34", "1.35"])
    error_message = "Node groups may be up to three minors behind."
  }
  assert {
    condition     = output.upgrade_plan == null
    error_message = "Nobody has asked for a plan."
  }
}

run "next_minor_is_free" {
  command = plan

  assert {
    condition     = output.next_control_plane_version.version == "1.36" && length(output.next_control_plane_version.blocked_by) == 0
    error_message = "No node group is in the way of 1.36."
  }
}

run "control_plane_moves" {
  variables {
    kubernetes_version = "1.36"
    eks_managed_node_groups = {
      general = { kubernetes_version = "1.35" }
      gpu     = { kubernetes_version = "1.33" }
    }
    addons = {
      kube-proxy = { addon_version = "v1.35.3-eksbuild.2" }
    }
  }

  assert {
    condition     = output.supported && output.cluster_version == "1.36"
    error_message = "The control plane moves first, by one minor."
  }
  assert {
    condition     = length(output.next_control_plane_version.blocked_by) > 0
    error_message = "The GPU nodes would be four minors behind 1.37."
  }
}

run "node_groups_follow" {
  variables {
    kubernetes_version = "1.36"
    eks_managed_node_groups = {
      general = {}
      gpu     = { ami_release_version = "1.36.1-20260610" }
    }
    upgrade_target = "1.38"
  }

  assert {
    condition     = output.supported && length(output.next_control_plane_version.blocked_by) == 0
    error_message = "The way to 1.37 is free."
  }
  assert {
    condition     = can(regex("1\\.38", output.upgrade_plan))
    error_message = "The plan leads to 1.38."
  }
}

# EKS takes a control plane back by one minor, after its nodes.
run "rollback" {
  variables {
    kubernetes_version      = "1.35"
    eks_managed_node_groups = { general = { kubernetes_version = "1.35" } }
  }

  assert {
    condition     = output.supported && output.cluster_version == "1.35"
    error_message = "One minor back is a step that EKS takes."
  }
}
