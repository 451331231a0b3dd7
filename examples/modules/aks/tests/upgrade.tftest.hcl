# One life of one cluster: each run that applies starts from what the one before
# has left.

variables {
  resource_group_name = "example"
  cluster_name        = "production"
  kubernetes_version  = "1.34.3"
  node_pools = {
    gpu = { orchestrator_version = "1.33.6" }
  }
}

run "sound_cluster" {
  assert {
    condition     = output.supported && output.node_pool_versions["nodepool"] == "1.34.3" && output.node_pool_versions["gpu"] == "1.33.6"
    error_message = "The default node pool follows the control plane."
  }
  assert {
    condition     = output.allowed_node_pool_versions == tolist(["1.31", "1.32", "1.33", "1.34"])
    error_message = "Node pools may be up to three minors behind."
  }
}

# The plan picks the newest patch on offer of every minor.
run "plan_two_minors" {
  command = plan

  variables {
    upgrade_target     = "1.36"
    available_versions = ["1.34.3", "1.35.1", "1.35.4", "1.36.0"]
  }

  assert {
    condition     = output.next_versions.control_plane_version == "1.35.4" && output.next_versions.node_pools["gpu"].kubelet == "1.33.6"
    error_message = "First the control plane moves, alone and by one minor."
  }
}

run "first_stage" {
  variables {
    kubernetes_version   = "1.35.4"
    orchestrator_version = "1.34.3"
  }

  assert {
    condition     = output.supported && output.kubernetes_version == "1.35.4"
    error_message = "What the plan said is a step that is allowed."
  }
  assert {
    condition     = length(output.next_control_plane_version.blocked_by) == 0
    error_message = "The GPU nodes are not in the way of 1.36."
  }
}

run "node_pools_follow" {
  variables {
    kubernetes_version = "1.35.4"
    node_pools         = { gpu = {} }
  }

  assert {
    condition     = output.node_pool_versions["gpu"] == "1.35.4"
    error_message = "A node pool may leave minors out."
  }
}

# AKS rolls a node pool back by one minor.
run "node_pool_rollback" {
  variables {
    kubernetes_version = "1.35.4"
    node_pools         = { gpu = { orchestrator_version = "1.34.3" } }
  }

  assert {
    condition     = output.supported
    error_message = "One minor back is a step that AKS takes."
  }
}

# A cluster with long-term support may leave minors out. Without the waiver the
# resource would refuse the step and end the run, from 1.35 in the last apply.
run "long_term_support_skips_a_minor" {
  command = plan

  variables {
    kubernetes_version   = "1.37.1"
    orchestrator_version = "1.35.4"
    node_pools           = { gpu = { orchestrator_version = "1.34.3" } }
    waivers = {
      long-term-support = {
        rule    = "kube-apiserver-step"
        reason  = "The service lists 1.37 as the next version with long-term support."
        expires = "2099-12-31"
      }
    }
  }

  assert {
    condition     = output.supported
    error_message = "Node pools three minors behind are sound."
  }
}
