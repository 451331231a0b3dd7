output "control_plane_versions" {
  description = "Version of every control-plane machine."
  value       = var.control_plane
}

output "worker_versions" {
  description = "Version of every worker."
  value       = var.workers
}
