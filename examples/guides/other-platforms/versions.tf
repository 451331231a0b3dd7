terraform {
  required_version = ">= 1.11"

  required_providers {
    digitalocean = {
      source  = "digitalocean/digitalocean"
      version = ">= 2.99, < 3.0"
    }
    ovh = {
      source  = "ovh/ovh"
      version = ">= 2.19, < 3.0"
    }
    rancher2 = {
      source  = "rancher/rancher2"
      version = ">= 14.1, < 15.0"
    }
    scaleway = {
      source  = "scaleway/scaleway"
      version = ">= 2.81, < 3.0"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
