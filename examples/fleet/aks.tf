module "aks" {
  source = "../modules/aks"

  resource_group_name = "example"
  cluster_name        = "shop"
  kubernetes_version  = "1.35.4"

  node_pools = {
    windows = { vm_size = "Standard_D4s_v5", orchestrator_version = "1.34.3" }
  }

  upgrade_target     = "1.36"
  available_versions = ["1.34.3", "1.35.1", "1.35.4", "1.36.0", "1.36.2"]
}
