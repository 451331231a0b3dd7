terraform {
  # observed of versionskew_validation is write-only, which needs 1.11.
  required_version = ">= 1.11"

  required_providers {
    azapi = {
      source = "Azure/azapi"
    }
    azurerm = {
      source = "hashicorp/azurerm"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
