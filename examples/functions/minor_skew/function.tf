# A check that warns in every plan while a node pool lags by two minors or more.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

locals {
  control_plane_version = "1.31.2"
  gpu_version           = "1.30.6"
}

check "gpu_pool_keeps_up" {
  assert {
    condition     = provider::versionskew::minor_skew(local.gpu_version, local.control_plane_version) > -2
    error_message = "The GPU node pool lags ${- provider::versionskew::minor_skew(local.gpu_version, local.control_plane_version)} minors behind the control plane."
  }
}

output "gpu_skew" {
  value = provider::versionskew::minor_skew(local.gpu_version, local.control_plane_version)
}
