terraform {
  # versionskew_validation.observed is write-only, which requires 1.11.
  required_version = ">= 1.11"

  required_providers {
    kubernetes = {
      source = "hashicorp/kubernetes"
    }
    ssh = {
      source = "loafoe/ssh"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
