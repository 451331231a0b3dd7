# A page that lists all clusters, from the outputs of each ring.
#
#   terraform apply && terraform output -raw page > FLEET.md

terraform {
  required_version = ">= 1.8"

  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "as_of" {
  description = "Date of the page. Defaults to the current date."
  type        = string
  default     = null
}

locals {
  rings = ["staging", "production"]
}

data "terraform_remote_state" "ring" {
  for_each = toset(local.rings)

  backend = "local" # Use your backend.

  config = {
    path = "${path.module}/../${each.key}/terraform.tfstate"
  }
}

module "page" {
  source = "../modules/page"

  rings = { for name, state in data.terraform_remote_state.ring : name => state.outputs.clusters }
  order = local.rings
  as_of = var.as_of
}

output "page" {
  description = "Markdown page with a row for each ring and each cluster."
  value       = module.page.markdown
}
