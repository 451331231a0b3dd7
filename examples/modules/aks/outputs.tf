output "aks_name" {
  description = "Name of the cluster."
  value       = azurerm_kubernetes_cluster.main.name
}

output "aks_id" {
  description = "ID of the cluster."
  value       = azurerm_kubernetes_cluster.main.id
}

output "kubernetes_version" {
  description = "Version of the control plane."
  value       = azapi_update_resource.control_plane.body.properties.kubernetesVersion
}
