# A check that warns in every plan if the control plane reaches its end of life within
# 60 days, or has reached it. It never fails a plan.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane_version" {
  type    = string
  default = "1.36.4"
}

data "versionskew_evaluation" "support" {
  control_plane_version = var.control_plane_version
}

check "control_plane_support" {
  assert {
    condition = alltrue([
      for finding in data.versionskew_evaluation.support.findings : finding.rule != "end-of-life"
    ])
    error_message = join(" ", [
      for finding in data.versionskew_evaluation.support.findings : finding.message if finding.rule == "end-of-life"
    ])
  }
}

data "versionskew_releases" "calendar" {}

output "supported_minors" {
  value = data.versionskew_releases.calendar.supported
}
