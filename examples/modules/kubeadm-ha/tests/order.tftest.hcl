# The step from what runs is judged before anything is made: these runs only
# plan.

variables {
  cluster_name = "production"
  control_plane = {
    cp-0 = { version = "1.37.1" }
    cp-1 = { version = "1.37.1" }
    cp-2 = { version = "1.37.1" }
  }
  node_pools = {
    general = { kubelet = "1.37.1" }
  }
  kube_proxy_version = "1.37.1"
  kubeadm_version    = "1.37.1"
  as_of              = "2026-11-20"
  running = {
    control_plane = {
      cp-0 = { version = "1.36.4", kubelet = "1.36.4", kube_proxy = "1.36.4" }
      cp-1 = { version = "1.36.4", kubelet = "1.36.4", kube_proxy = "1.36.4" }
      cp-2 = { version = "1.36.4", kubelet = "1.36.4", kube_proxy = "1.36.4" }
    }
    node_pools = {
      general = { kubelet = "1.36.4", kube_proxy = "1.36.4" }
    }
    components = { kubeadm = ["1.36.4"] }
  }
}

run "order_of_an_upgrade" {
  command = plan

  assert {
    condition = output.upgrade_order[0].component == "kubeadm" && contains(output.upgrade_order[*].component, "kube-apiserver") && alltrue(flatten([
      for first in output.upgrade_order : [
        for second in output.upgrade_order : first.stage < second.stage
        if first.component == "kube-apiserver" && contains(["kubelet", "kube-scheduler"], second.component)
      ]
    ]))
    error_message = "kubeadm goes first, then the API servers, then what talks to them."
  }
}

run "no_minor_is_skipped" {
  command = plan

  variables {
    running = {
      control_plane = {
        cp-0 = { version = "1.35.8" }
        cp-1 = { version = "1.35.8" }
        cp-2 = { version = "1.35.8" }
      }
    }
  }

  expect_failures = [terraform_data.control_plane]
}

# Behind a load balancer, the scheduler of the first new instance may reach an
# old API server.
run "shared_endpoint" {
  command = plan

  variables {
    apiserver_endpoint = "shared"
    control_plane = {
      cp-0 = { version = "1.37.1", kubelet = "1.36.4" }
      cp-1 = { version = "1.36.4" }
      cp-2 = { version = "1.36.4" }
    }
    node_pools         = {}
    kube_proxy_version = "1.36.4"
    running            = null
  }

  expect_failures = [terraform_data.control_plane["cp-0"]]
}

run "instances_far_apart" {
  command = plan

  variables {
    control_plane = {
      cp-0 = { version = "1.37.1" }
      cp-1 = { version = "1.37.1" }
      cp-2 = { version = "1.35.8" }
    }
    node_pools         = {}
    kube_proxy_version = "1.35.8"
    running            = null
  }

  expect_failures = [terraform_data.control_plane]
}

run "waiver" {
  command = plan

  variables {
    node_pools = {
      general = { kubelet = "1.33.11" }
    }
    kube_proxy_version = "1.36.4"
    running            = null
    waivers = {
      old-kernel         = { rule = "kubelet-apiserver", reason = "The kernel of these machines is replaced in spring.", expires = "2027-03-31" }
      old-kernel-kubeadm = { rule = "kubelet-kubeadm", reason = "The kernel of these machines is replaced in spring.", expires = "2027-03-31" }
    }
  }

  assert {
    condition     = output.supported && output.findings[0].waived_by != null
    error_message = "The waivers accept the findings."
  }
}

# 1.34 is near its end, and old workers keep the control plane from leaving it.
run "no_way_out" {
  command = plan

  variables {
    control_plane      = { cp-0 = { version = "1.34.9" } }
    node_pools         = { general = { kubelet = "1.31.14" } }
    kube_proxy_version = "1.34.9"
    kubeadm_version    = "1.34.9"
    running            = null
    as_of              = "2026-10-20"
  }

  expect_failures = [check.way_out_of_end_of_life]
}

run "kubelet_is_a_version" {
  command = plan

  variables {
    node_pools = { general = { kubelet = "1.37.x" } }
  }

  expect_failures = [var.node_pools]
}
