terraform {
  # observed of versionskew_validation is write-only, which needs 1.11.
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
