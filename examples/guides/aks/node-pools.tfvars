kubernetes_version   = "1.36.1"
orchestrator_version = "1.36.1"
node_pools = {
  batch = { orchestrator_version = "1.36.1" }
  gpu   = {}
}
