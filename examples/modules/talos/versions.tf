terraform {
  # observed of versionskew_validation is write-only, which needs 1.11.
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
