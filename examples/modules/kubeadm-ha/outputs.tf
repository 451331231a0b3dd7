output "control_plane_versions" {
  description = "Versions of the control-plane machines, keyed by name."
  value       = var.control_plane
}

output "worker_versions" {
  description = "Versions of the workers, keyed by name."
  value       = var.workers
}
