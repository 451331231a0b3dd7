observe            = true
kubernetes_version = "1.36.4-gke.1000000"
node_pools = {
  general = { version = "1.35.8-gke.1200000" }
  batch   = { version = "1.34.10-gke.1300000" }
}
