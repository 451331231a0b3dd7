# A GKE cluster: control plane and node pools, without a release channel.

resource "google_container_cluster" "this" {
  project  = var.project_id
  name     = var.name
  location = var.region

  # The minimum. GKE can run a newer version.
  min_master_version = var.kubernetes_version

  # In a two-step upgrade, the version that the API servers emulate.
  desired_emulated_version = var.emulated_version

  release_channel {
    channel = "UNSPECIFIED"
  }

  # Node pools are separate resources.
  remove_default_node_pool = true
  initial_node_count       = 1
}

resource "google_container_node_pool" "this" {
  for_each = var.node_pools

  name       = each.key
  cluster    = google_container_cluster.this.id
  location   = var.region
  node_count = each.value.node_count

  # Without a version, GKE decides.
  version = each.value.version

  management {
    auto_repair  = true
    auto_upgrade = each.value.version == null
  }

  node_config {
    machine_type = each.value.machine_type
  }
}
