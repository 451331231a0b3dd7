# A cluster for every built-in policy, with versions as the platform writes them.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
