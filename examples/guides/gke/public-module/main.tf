terraform {
  required_version = ">= 1.11"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 7.45, < 8.0"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "kubernetes_version" {
  type    = string
  default = "1.35.8-gke.1200000"
}

module "gke" {
  source  = "terraform-google-modules/kubernetes-engine/google"
  version = "~> 44.0"

  project_id         = "example"
  name               = "production"
  region             = "europe-west1"
  network            = "default"
  subnetwork         = "default"
  ip_range_pods      = "pods"
  ip_range_services  = "services"
  kubernetes_version = var.kubernetes_version
  release_channel    = "UNSPECIFIED"

  node_pools = [
    { name = "general", auto_upgrade = false, version = "1.35.8-gke.1200000" },
    { name = "batch", auto_upgrade = true },
  ]
}

# What GKE offers in the region.
data "google_container_engine_versions" "offered" {
  project  = "example"
  location = "europe-west1"
}

resource "versionskew_validation" "gke" {
  policy                = "gke"
  control_plane_version = module.gke.min_master_version

  # If GKE chooses the version, the module sets it to "". The google provider replaces
  # it by the version that runs, but a mocked provider does not.
  node_pools = {
    for name, version in module.gke.node_pools_versions : name => { kubelet = version == "" ? null : version }
  }

  available_versions      = data.google_container_engine_versions.offered.valid_master_versions
  available_node_versions = data.google_container_engine_versions.offered.valid_node_versions

  depends_on = [module.gke]
}
