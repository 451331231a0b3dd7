# Four clusters, each from the module of its platform, and one look at them all.

terraform {
  required_version = ">= 1.8"

  # The modules name it too. Terraform 1.8 and OpenTofu 1.8 need both, for the
  # functions in their validation blocks.
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}
