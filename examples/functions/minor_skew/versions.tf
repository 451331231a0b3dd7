terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
