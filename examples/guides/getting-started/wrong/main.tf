terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

resource "versionskew_validation" "cluster" {
  control_plane_version = "1.37.2"
  node_pools            = { general = "1.37.2" }
  kubectl               = "1.37.0"
}
