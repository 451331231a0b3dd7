cluster_version = "1.36.4-gke.1000000"
node_pool_versions = {
  general = "1.35.8-gke.1200000"
  batch   = "1.34.10-gke.1300000"
}
