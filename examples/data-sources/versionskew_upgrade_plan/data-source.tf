terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

data "versionskew_upgrade_plan" "cluster" {
  # What runs now.
  control_plane_version = "1.30.8"
  node_pools = {
    general = { kubelet = "1.30.8" }
    gpu     = { kubelet = "1.28.15" }
  }
  kubectl = ["1.31.4"]

  target_version = "1.33"
  # From the data source of your cloud; without it, stages name minors only.
  available_versions = ["1.30.8", "1.31.4", "1.31.6", "1.32.0", "1.32.2", "1.33.0"]
}

output "stages" {
  value = [for stage in data.versionskew_upgrade_plan.cluster.stages : "${stage.number}. ${join(", ", stage.locations)} to ${stage.to}"]
}

# The versions to put into the module of the cluster now.
output "next" {
  value = data.versionskew_upgrade_plan.cluster.next
}

output "diagram" {
  value = data.versionskew_upgrade_plan.cluster.mermaid
}
