# Adds rules for a service mesh and a CNI to the policy kubernetes. The limits are
# examples. Use those that your mesh and CNI document.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_policy" "cluster" {
  extends = "kubernetes"

  skew_rules = {
    # Sidecars can be up to two minor versions older than the control plane of the mesh.
    istio-proxy-istiod = {
      subject   = "istio-proxy"
      reference = "istiod"
      scope     = "cluster"
      max_newer = 0
      max_older = 2
      reason    = "Sidecars are upgraded when their workloads restart."
    }
  }

  step_rules = {
    istiod-step = {
      component     = "istiod"
      max_upgrade   = 1
      max_downgrade = 1
      reason        = "The mesh is upgraded one minor version at a time."
    }
  }

  # Versions of the CNI and the mesh that certain versions of Kubernetes require.
  requirement_rules = {
    cilium-for-1-31 = {
      when    = { component = "kube-apiserver", version = ">= 1.31" }
      require = { component = "cilium", version = ">= 1.16" }
    }
    istio-for-1-31 = {
      when    = { component = "kube-apiserver", version = ">= 1.31" }
      require = { component = "istiod", version = ">= 1.23, < 1.27" }
    }
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.36.4"
  node_pools = {
    general = { kubelet = "1.36.4" }
  }
  components = {
    istiod      = ["1.24.1"]
    istio-proxy = ["1.24.1", "1.23.3"]
    cilium      = ["1.16.4"]
  }

  policy = data.versionskew_policy.cluster.json
}

output "rules" {
  value = { for rule in data.versionskew_policy.cluster.rules : rule.id => rule.text }
}
