variable "clusters" {
  type = map(object({ control_plane_version = string, node_version = string }))
  default = {
    shop  = { control_plane_version = "1.36", node_version = "1.35" }
    batch = { control_plane_version = "1.36", node_version = "1.32" }
  }
}

resource "versionskew_validation" "ratchet" {
  for_each = var.clusters

  policy                = "eks"
  enforcement_level     = "changes"
  control_plane_version = each.value.control_plane_version
  node_pools            = { general = { kubelet = each.value.node_version } }
}
