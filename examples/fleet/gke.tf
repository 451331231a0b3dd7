module "gke" {
  source = "../modules/gke"

  project_id         = "example"
  name               = "analytics"
  region             = "europe-west1"
  kubernetes_version = "1.36.1-gke.1350000"

  node_pools = {
    general = { version = "1.36.1-gke.1350000" }
    batch   = { version = "1.34.6-gke.1026000", machine_type = "c3-standard-8" }
  }
}
