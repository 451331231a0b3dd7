# Five clusters, each from the module of its platform.

terraform {
  required_version = ">= 1.11"

  required_providers {
    azapi = {
      source  = "Azure/azapi"
      version = ">= 2.12, < 3.0"
    }
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 4.81, < 6.0"
    }
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0, < 7.0"
    }
    google = {
      source  = "hashicorp/google"
      version = ">= 7.45, < 8.0"
    }
    hcloud = {
      source  = "hetznercloud/hcloud"
      version = ">= 1.68, < 2.0"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 3.2, < 4.0"
    }
    ssh = {
      source  = "loafoe/ssh"
      version = ">= 2.7, < 3.0"
    }
    talos = {
      source  = "siderolabs/talos"
      version = "0.12.0-alpha.5"
    }
  }
}

provider "azurerm" {
  features {}
}
