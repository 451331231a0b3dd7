# A precondition that keeps a runbook from being asked for more than three minors.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "running_version" {
  type    = string
  default = "1.28.15"
}

variable "target_version" {
  type    = string
  default = "1.31.2"
}

resource "terraform_data" "runbook" {
  input = {
    for number, minor in provider::versionskew::upgrade_path(var.running_version, var.target_version) :
    "step ${number + 1}" => "upgrade the control plane to ${minor}"
  }

  lifecycle {
    precondition {
      condition     = length(provider::versionskew::upgrade_path(var.running_version, var.target_version)) <= 3
      error_message = "More than three minors are not planned in one go."
    }
  }
}

output "runbook" {
  value = terraform_data.runbook.output
}
