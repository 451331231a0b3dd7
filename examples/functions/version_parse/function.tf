# Node images are published per minor; the minor is taken from a version of any vendor.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

locals {
  node_pool_versions = {
    general = "v1.31.2-eks-7f9249a"
    edge    = "v1.30.6+k3s1"
  }
  node_images = {
    for name, version in local.node_pool_versions :
    name => "node-image-${provider::versionskew::version_parse(version).minor_version}"
  }
}

output "node_images" {
  value = local.node_images
}

output "general" {
  value = provider::versionskew::version_parse(local.node_pool_versions.general)
}
