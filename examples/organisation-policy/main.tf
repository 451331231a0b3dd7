# The rules of a platform, tightened for an organisation, for every cluster that
# this configuration declares: the provider block says so once.

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
      # Nodes follow within one minor, whatever the platform would allow.
      kubelet-apiserver = {
        max_older = 1
        reason    = "We replace nodes with every control-plane minor."
      }
      # A client outside its window is worth a warning, not a stop.
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

# One cluster may keep to other rules, and may be judged more mildly.
resource "versionskew_validation" "playground" {
  control_plane_version = "1.36"
  node_pools = {
    general = { kubelet = "v1.32.13-eks-1234567" }
  }
  policy            = "kubernetes"
  enforcement_level = "advisory"
}
