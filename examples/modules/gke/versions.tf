terraform {
  # observed of versionskew_validation is write-only, which needs 1.11.
  required_version = ">= 1.11"

  required_providers {
    google = {
      source = "hashicorp/google"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
