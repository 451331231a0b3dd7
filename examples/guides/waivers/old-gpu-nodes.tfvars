node_pool_versions = {
  general = "1.36.4"
  gpu     = "1.32.13"
}
