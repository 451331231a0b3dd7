# A table of allowed versions for the README of a module. Its rows are listed in a
# variable, so the table does not change over time.
#
#   terraform apply
#   terraform output -raw table > allowed-versions.md
#
# Paste the content of the file into the README.

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
  description = "Documentation of the policy: rules with their sources, allowed versions, what is not covered, and advisories."
  value       = data.versionskew_policy.module.markdown
}

output "table" {
  description = "The table of allowed versions."
  value       = data.versionskew_policy.module.table
}
