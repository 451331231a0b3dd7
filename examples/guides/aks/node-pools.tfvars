kubernetes_version = "1.36.1"
node_pool_versions = {
  system = "1.36.1"
  batch  = "1.36.1"
}
