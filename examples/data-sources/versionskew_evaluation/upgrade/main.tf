terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_evaluation" "cluster" {
  control_plane_version = "1.37.2"
  node_pools = {
    general = { kubelet = "1.37.2" }
    gpu     = { kubelet = "1.35.10" }
  }

  # The versions that run now.
  observed = {
    control_plane_version = "1.36.6"
    node_pools = {
      general = { kubelet = "1.36.6" }
      gpu     = { kubelet = "1.33.13" }
    }
  }

  as_of = "2026-11-21" # For the same output on any day.
}

output "report" {
  value = data.versionskew_evaluation.cluster.markdown
}
