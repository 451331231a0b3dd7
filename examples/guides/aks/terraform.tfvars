resource_group_name  = "production"
cluster_name         = "production"
kubernetes_version   = "1.35.5"
orchestrator_version = "1.35.5"
node_pools = {
  batch = { orchestrator_version = "1.35.5" }
  gpu   = {}
}
