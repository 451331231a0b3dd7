output "cluster_id" {
  description = "ID of the cluster."
  value       = google_container_cluster.this.id
}

output "master_version" {
  description = "Version that the control plane had at the last refresh."
  value       = google_container_cluster.this.master_version
}
