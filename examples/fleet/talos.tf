module "talos" {
  source = "../modules/talos"

  cluster_name       = "lab"
  kubernetes_version = "1.36.1"
  control_plane      = ["lab-cp-0", "lab-cp-1", "lab-cp-2"]
  workers            = ["lab-worker-0", "lab-worker-1"]
}
