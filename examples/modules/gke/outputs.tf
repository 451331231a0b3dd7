output "cluster_id" {
  description = "ID of the cluster."
  value       = google_container_cluster.this.id
}
