resource "versionskew_validation" "offered" {
  policy                = "eks"
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
  available_versions    = var.available_versions
}
