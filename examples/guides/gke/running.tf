# What GKE has made of it. It is unknown before the first apply, and is judged
# after that.
data "versionskew_evaluation" "running" {
  control_plane_version = google_container_cluster.main.master_version
  node_pools            = { for name, pool in google_container_node_pool.main : name => { kubelet = pool.version } }
}

check "running_versions" {
  assert {
    condition     = data.versionskew_evaluation.running.supported
    error_message = join(" ", data.versionskew_evaluation.running.findings[*].message)
  }
}

output "running_control_plane" {
  value = google_container_cluster.main.master_version
}
