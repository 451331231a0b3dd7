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
    # The id of an inherited rule: only what is given changes.
    kubelet-apiserver = {
      max_older = 1
      reason    = "We replace nodes with every control-plane minor."
    }
  }
  disabled_rules = ["kubectl-apiserver"]
  minors         = ["1.35", "1.36", "1.37"]
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = "1.36.4"
  node_pools = {
    gpu = { kubelet = "1.34.13" }
  }
  policy = data.versionskew_policy.cluster.json
}

output "findings" {
  value = data.versionskew_evaluation.cluster.findings
}

output "page" {
  value = data.versionskew_policy.cluster.markdown
}
