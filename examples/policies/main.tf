# A cluster for each built-in policy, with versions in the format of the platform.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
