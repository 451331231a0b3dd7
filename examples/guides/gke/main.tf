# The module as it is: the versions are variables, and every resource takes its
# version from one of them.

terraform {
  required_providers {
    google = {
      source = "hashicorp/google"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "cluster_version" {
  type    = string
  default = "1.35.8-gke.1200000"
}

variable "node_pool_versions" {
  type = map(string)
  default = {
    general = "1.35.8-gke.1200000"
    batch   = "1.33.12-gke.1100000"
  }
}

resource "google_container_cluster" "main" {
  name               = "production"
  location           = "europe-west1"
  min_master_version = var.cluster_version

  release_channel {
    channel = "UNSPECIFIED"
  }

  # The node pools are resources of their own.
  remove_default_node_pool = true
  initial_node_count       = 1
}

resource "google_container_node_pool" "main" {
  for_each = var.node_pool_versions

  name       = each.key
  cluster    = google_container_cluster.main.id
  version    = each.value
  node_count = 3

  # Or else GKE moves the nodes by itself, whatever version says.
  management {
    auto_upgrade = false
  }
}
