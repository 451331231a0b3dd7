# A page on the whole fleet, from what the state of each ring publishes.
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
  description = "Day for which the page is written (default today)."
  type        = string
  default     = null
}

locals {
  rings = ["staging", "production"]
}

data "terraform_remote_state" "ring" {
  for_each = toset(local.rings)

  backend = "local" # your backend

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
  description = "A row for each cluster, rolled up by ring."
  value       = module.page.markdown
}
