terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

# Both arguments are optional. These are their defaults.
provider "versionskew" {
  policy            = "kubernetes"
  enforcement_level = "mandatory"
}
