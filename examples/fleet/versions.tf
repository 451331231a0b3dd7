# Five clusters, each from the module of its platform.

terraform {
  required_version = ">= 1.11"

  required_providers {
    azapi = {
      source = "Azure/azapi"
    }
    azurerm = {
      source = "hashicorp/azurerm"
    }
    aws = {
      source = "hashicorp/aws"
    }
    google = {
      source = "hashicorp/google"
    }
    hcloud = {
      source = "hetznercloud/hcloud"
    }
    kubernetes = {
      source = "hashicorp/kubernetes"
    }
    ssh = {
      source = "loafoe/ssh"
    }
    talos = {
      source = "siderolabs/talos"
    }
  }
}

provider "azurerm" {
  features {}
}
