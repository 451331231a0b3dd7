# The table of allowed versions for the README of a module. The minors are named,
# so that the page changes with the module and not with the calendar.
#
#   terraform apply && terraform output -raw table

terraform {
  required_version = ">= 1.8"

  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "policy" {
  type    = string
  default = "eks"
}

variable "minors" {
  type    = list(string)
  default = ["1.33", "1.34", "1.35", "1.36", "1.37"]
}

data "versionskew_policy" "module" {
  extends = var.policy
  minors  = var.minors
}

output "page" {
  description = "The whole page: rules with their sources, the table, what is not covered, and advice."
  value       = data.versionskew_policy.module.markdown
}

output "table" {
  description = "The table alone."
  value       = trimspace(data.versionskew_policy.module.table)
}
