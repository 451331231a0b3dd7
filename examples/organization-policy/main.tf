# The policy of a platform with the rules of an organization. The provider block sets it
# for all clusters in this configuration.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

provider "versionskew" {
  policy = jsonencode({
    extends = "eks"
    skew_rules = {
      # Nodes can be at most one minor version behind, even if the platform allows more.
      kubelet-apiserver = {
        max_older = 1
        reason    = "We replace nodes with every control-plane upgrade."
      }
      # An unsupported client is a warning, not an error.
      kubectl-apiserver = {
        severity = "warning"
      }
    }
  })
}

resource "versionskew_validation" "production" {
  control_plane_version = "1.36"
  node_pools = {
    general = { kubelet = "v1.35.8-eks-1234567" }
  }
  kubectl = ["1.34.2"]
}

# A resource can override the policy and the enforcement level.
resource "versionskew_validation" "playground" {
  control_plane_version = "1.36"
  node_pools = {
    general = { kubelet = "v1.32.13-eks-1234567" }
  }
  policy            = "kubernetes"
  enforcement_level = "advisory"
}
