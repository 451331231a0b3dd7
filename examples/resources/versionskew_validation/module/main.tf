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
    gpu     = "1.35.10"
  }
}

# Placeholders for the cluster and the node pools of your cloud.
resource "terraform_data" "cluster" {
  input = var.control_plane_version
}

resource "terraform_data" "node_pool" {
  for_each = var.node_pool_versions
  input    = each.value

  depends_on = [terraform_data.cluster]
}

# The plan is checked before anything is applied. Because of depends_on, the new versions
# are recorded as the start of the next upgrade only after this one has succeeded.
resource "versionskew_validation" "cluster" {
  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.node_pool_versions : name => { kubelet = version } }

  depends_on = [terraform_data.cluster, terraform_data.node_pool]
}
