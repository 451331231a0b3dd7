terraform {
  # versionskew_validation.observed is write-only, which requires 1.11.
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
