provider "versionskew" {
  policy = "aks"
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.kubernetes_version
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }

  depends_on = [azurerm_kubernetes_cluster.main, azurerm_kubernetes_cluster_node_pool.main]
}
