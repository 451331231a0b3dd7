# An upgrade from 1.36 to 1.37, one part after another. Each run that applies
# starts from what the one before has left.

variables {
  cluster_name = "production"
  control_plane = {
    cp-0 = { version = "1.36.4" }
    cp-1 = { version = "1.36.4" }
    cp-2 = { version = "1.36.4" }
  }
  node_pools = {
    general = { kubelet = "1.36.4", count = 5 }
    gpu     = { kubelet = "1.34.9" }
  }
  kube_proxy_version = "1.36.4"
  kubeadm_version    = "1.36.4"
  kubectl_versions   = ["1.36.4", "1.37.1"]
  as_of              = "2026-11-20"
}

run "sound_cluster" {
  assert {
    condition     = output.supported && output.control_plane_versions["cp-0"] == "1.36.4"
    error_message = "Workers two minors behind are sound."
  }
  assert {
    condition     = output.allowed_versions["kubelet"] == tolist(["1.33", "1.34", "1.35", "1.36"])
    error_message = "Workers may be up to three minors behind."
  }
}

# kubeadm goes first: the next minor waits for it.
run "kubeadm_is_in_the_way" {
  command = plan

  assert {
    condition     = output.next_control_plane_version.version == "1.37" && can(regex("kubeadm", output.next_control_plane_version.blocked_by[0]))
    error_message = "kubeadm 1.36 installs no control plane of 1.37."
  }
}

run "first_instance" {
  variables {
    kubeadm_version = "1.37.1"
    control_plane = {
      cp-0 = { version = "1.37.1", kubelet = "1.36.4" }
      cp-1 = { version = "1.36.4" }
      cp-2 = { version = "1.36.4" }
    }
  }

  assert {
    condition     = output.supported && output.allowed_versions["kubectl"] == tolist(["1.36", "1.37"])
    error_message = "While API servers differ, clients have to suit both."
  }
}

# As long as one API server is at 1.36, no worker may be newer.
run "workers_wait_for_the_last_instance" {
  command = plan

  variables {
    kubeadm_version = "1.37.1"
    control_plane = {
      cp-0 = { version = "1.37.1", kubelet = "1.36.4" }
      cp-1 = { version = "1.37.1", kubelet = "1.36.4" }
      cp-2 = { version = "1.36.4" }
    }
    node_pools = {
      general = { kubelet = "1.37.1" }
      gpu     = { kubelet = "1.34.9" }
    }
  }

  expect_failures = [terraform_data.node_pool["general"]]
}

run "other_instances" {
  variables {
    kubeadm_version = "1.37.1"
    control_plane = {
      cp-0 = { version = "1.37.1", kubelet = "1.36.4" }
      cp-1 = { version = "1.37.1", kubelet = "1.36.4" }
      cp-2 = { version = "1.37.1", kubelet = "1.36.4" }
    }
  }

  assert {
    condition     = output.supported
    error_message = "All API servers are at 1.37, the nodes not yet."
  }
}

run "nodes" {
  variables {
    kubeadm_version    = "1.37.1"
    kube_proxy_version = "1.37.1"
    control_plane = {
      cp-0 = { version = "1.37.1" }
      cp-1 = { version = "1.37.1" }
      cp-2 = { version = "1.37.1" }
    }
    node_pools = {
      general = { kubelet = "1.37.1", count = 5 }
      gpu     = { kubelet = "1.34.9" }
    }
  }

  assert {
    condition     = output.supported && output.node_pool_versions["general"] == "1.37.1"
    error_message = "The nodes follow; the GPU nodes may stay three minors behind."
  }
  assert {
    condition     = output.upgrade_order == null || length(output.upgrade_order) == 0
    error_message = "Nothing is said about what runs, so that there is no order."
  }
}
