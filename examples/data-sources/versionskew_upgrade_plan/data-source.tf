data "versionskew_upgrade_plan" "cluster" {
  # The versions that run now.
  control_plane_version = "1.33.11"
  node_pools = {
    general = { kubelet = "1.33.11" }
    gpu     = { kubelet = "1.31.14" }
  }

  target_version = "1.36"
}

output "stages" {
  value = [
    for s in data.versionskew_upgrade_plan.cluster.stages :
    "${s.number}. ${join(", ", s.locations)} to ${s.to}"
  ]
}

output "next_control_plane_version" {
  value = data.versionskew_upgrade_plan.cluster.next.control_plane_version
}
