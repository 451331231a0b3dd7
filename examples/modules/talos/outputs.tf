output "control_plane_addresses" {
  description = "Addresses of the control-plane machines."
  value       = { for name, server in hcloud_server.control_plane : name => server.ipv4_address }
}

output "worker_addresses" {
  description = "Addresses of the workers."
  value       = { for name, server in hcloud_server.worker : name => server.ipv4_address }
}
