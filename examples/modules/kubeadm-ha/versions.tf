terraform {
  # versionskew_validation.observed is write-only, which requires 1.11.
  required_version = ">= 1.11"

  required_providers {
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 3.2, < 4.0"
    }
    ssh = {
      source  = "loafoe/ssh"
      version = ">= 2.7, < 3.0"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
