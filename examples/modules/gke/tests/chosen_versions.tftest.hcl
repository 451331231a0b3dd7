# GKE chooses the version of the node pool. A mock sets attributes that are not configured
# to random text, which is not a version, so it needs a default.
mock_provider "google" {
  mock_resource "google_container_node_pool" {
    defaults = { version = "1.35.8-gke.1200000" }
  }
}

variables {
  project_id         = "example"
  name               = "production"
  region             = "europe-west1"
  kubernetes_version = "1.35.8-gke.1200000"
  node_pools         = { auto = {} }
}

# Not command = plan: the version is only known after the apply.
run "created" {
  assert {
    condition     = versionskew_validation.this.node_pools["auto"].kubelet == "1.35.8-gke.1200000"
    error_message = "The version that GKE chooses should be checked and recorded."
  }
}
