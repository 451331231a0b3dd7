terraform {
  # versionskew_validation.observed is write-only, which requires 1.11.
  required_version = ">= 1.11"

  required_providers {
    hcloud = {
      source = "hetznercloud/hcloud"
    }
    kubernetes = {
      source = "hashicorp/kubernetes"
    }
    talos = {
      source = "siderolabs/talos"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
