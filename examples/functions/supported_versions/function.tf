# What each component may be beside two API servers in the middle of an upgrade.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

locals {
  apiserver_versions = ["1.31.2", "1.30.8"]
  allowed = {
    for component in ["kubelet", "kube-proxy", "kube-scheduler", "kubectl"] :
    component => provider::versionskew::supported_versions(component, local.apiserver_versions)
  }
}

output "allowed" {
  value = local.allowed
}
