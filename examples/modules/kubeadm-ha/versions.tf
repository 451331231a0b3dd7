terraform {
  # observed of versionskew_validation is write-only, which needs 1.11.
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
