project_id         = "example"
name               = "production"
region             = "europe-west1"
kubernetes_version = "1.35.8-gke.1200000"
node_pools = {
  general = { version = "1.35.8-gke.1200000" }
  batch   = { version = "1.33.12-gke.1100000" }
}
