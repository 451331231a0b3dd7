terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_upgrade_plan" "cluster" {
  control_plane_version = "1.30.8"
  node_pools = {
    general = { kubelet = "1.30.8" }
    gpu     = { kubelet = "1.28.15" }
  }
  kubectl = ["1.31.4"]

  target_version = "1.33"

  # Usually from a data source of your cloud. If omitted, stages name minor versions.
  available_versions = ["1.30.8", "1.31.4", "1.31.6", "1.32.0", "1.32.2", "1.33.0"]
}

output "plan" {
  value = data.versionskew_upgrade_plan.cluster.markdown
}
