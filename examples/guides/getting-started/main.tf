terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane_version" {
  type    = string
  default = "1.37.2"
}

variable "node_pool_versions" {
  type = map(string)
  default = {
    general = "1.37.2"
    gpu     = "1.36.6"
  }
}

# Your cluster and node pools go here. They take their versions from the variables.

# Fails the plan if the versions are incompatible, or if the upgrade to them is not
# allowed.
resource "versionskew_validation" "cluster" {
  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }

  # depends_on = [the cluster and the node pools]
}
