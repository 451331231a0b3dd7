# The life of a cluster, with mocked providers. Each run starts from the state that the
# previous run has left. A run fails if the guard fails its plan.

mock_provider "google" {}

variables {
  project_id         = "example"
  name               = "production"
  region             = "europe-west1"
  kubernetes_version = "1.35.8-gke.1200000"
  node_pools = {
    general = { version = "1.35.8-gke.1200000" }
    batch   = { version = "1.34.10-gke.1300000" }
  }
}

run "created" {}

# The first step of a two-step upgrade. Nodes still have to fit 1.35.
run "emulated_version" {
  command = plan

  variables {
    kubernetes_version = "1.36.4-gke.1000000"
    emulated_version   = "1.35"
  }

  assert {
    condition     = versionskew_validation.this.emulated_version == "1.35"
    error_message = "The guard should declare the emulated version."
  }
}

run "control_plane" {
  variables {
    kubernetes_version = "1.36.4-gke.1000000"
  }
}

# GKE has upgraded the cluster beyond min_master_version.
run "upgraded_by_gke" {
  command = plan

  override_data {
    target = data.google_container_cluster.running
    values = {
      master_version   = "1.37.1-gke.1000000"
      emulated_version = "1.37"
      node_pool = [
        for name, version in { general = "1.37.1-gke.1000000", batch = "1.36.4-gke.1000000" } : {
          name                         = name
          version                      = version

          # OpenTofu expects all attributes.
          autoscaling                 = []
          ignore_node_count_changes   = false
          initial_node_count          = 1
          instance_group_urls         = []
          maintenance_policy          = []
          managed_instance_group_urls = []
          management                  = []
          max_pods_per_node           = 110
          name_prefix                 = ""
          network_config              = []
          node_config                 = []
          node_count                  = 1
          node_drain_config           = []
          node_locations              = []
          placement_policy            = []
          queued_provisioning         = []
          upgrade_settings            = []
        }
      ]
    }
  }

  variables {
    observe            = true
    kubernetes_version = "1.36.4-gke.1000000"
    node_pools = {
      general = { version = "1.37.1-gke.1000000" }
      batch   = { version = "1.36.4-gke.1000000" }
    }
  }

  assert {
    condition     = versionskew_validation.this.control_plane_version == "1.37.1-gke.1000000"
    error_message = "The guard should declare the running version, which is newer than min_master_version."
  }
}

run "version_without_quotes" {
  command = plan

  variables {
    kubernetes_version = 1.30
  }

  expect_failures = [var.kubernetes_version]
}
