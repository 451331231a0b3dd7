variable "target_version" {
  type    = string
  default = "1.37"
}

data "versionskew_upgrade_plan" "limited" {
  policy                = "eks"
  control_plane_version = "1.33"
  node_pools = {
    general = { kubelet = "1.33" }
    gpu     = { kubelet = "1.33" }
  }
  target_version = var.target_version

  # The GPU driver does not support newer versions.
  max_node_pool_versions = { gpu = "1.34" }
}

output "next" {
  value = data.versionskew_upgrade_plan.limited.next
}
