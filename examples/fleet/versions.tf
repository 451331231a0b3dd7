# Four clusters, each from the module of its platform, and one look at them all.

terraform {
  required_version = ">= 1.8"

  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
