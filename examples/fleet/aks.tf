module "aks" {
  source = "../modules/aks"

  resource_group_name  = "example"
  cluster_name         = "shop"
  kubernetes_version   = "1.35.4"
  orchestrator_version = "1.35.4"

  node_pools = {
    windows = { vm_size = "Standard_D4s_v5", orchestrator_version = "1.34.3" }
  }
}
