terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

# All of it is optional: these are the defaults.
provider "versionskew" {
  policy            = "kubernetes"
  enforcement_level = "mandatory"
}
