terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "kubelet" {
  type    = string
  default = "1.36.4"
}

variable "cilium" {
  type    = string
  default = "1.18.3"
}

data "versionskew_policy" "ours" {
  extends = "eks"

  skew_rules = {
    # An inherited rule. Only the given fields change.
    kubelet-apiserver = {
      max_older = 1
      reason    = "We replace nodes with every control-plane upgrade."
    }
    # A new rule, for components that you declare.
    istio-proxy-istiod = {
      subject   = "istio-proxy"
      reference = "istiod"
      scope     = "cluster"
      max_newer = 0
      max_older = 1
      reason    = "Sidecars must be upgraded with the mesh."
    }
  }

  # Versions of a component that certain versions of another one require.
  requirement_rules = {
    cilium-for-1-36 = {
      when    = { component = "kube-apiserver", version = ">= 1.36" }
      require = { component = "cilium", version = ">= 1.18" }
      reason  = "The CNI configures the network of every node."
    }
  }

  # By how many minor versions a component can move in one step.
  step_rules = {
    istiod-step = {
      component     = "istiod"
      max_upgrade   = 1
      max_downgrade = 1
    }
  }

  # Inherited rules that you do not need.
  disabled_rules = ["kubectl-apiserver"]
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.36.4"
  node_pools            = { general = { kubelet = var.kubelet } }
  components = {
    cilium      = [var.cilium]
    istiod      = ["1.28.0"]
    istio-proxy = ["1.28.0", "1.27.3"]
  }

  policy = data.versionskew_policy.ours.json
}

output "rules" {
  value = { for rule in data.versionskew_policy.ours.rules : rule.id => rule.text }
}
