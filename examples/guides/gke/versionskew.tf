provider "versionskew" {
  policy = "gke"
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.cluster_version
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }

  depends_on = [google_container_cluster.main, google_container_node_pool.main]
}
