output "aks_name" {
  description = "Name of the cluster."
  value       = azurerm_kubernetes_cluster.main.name
}

output "aks_id" {
  description = "ID of the cluster."
  value       = azurerm_kubernetes_cluster.main.id
}
