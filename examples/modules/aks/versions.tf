terraform {
  # versionskew_validation.observed is write-only, which requires 1.11.
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
