data "versionskew_policy" "add_ons" {
  extends = "eks"
  include = ["addons/cert-manager"]
}

resource "versionskew_validation" "add_ons" {
  policy                = data.versionskew_policy.add_ons.json
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
  components            = { cert-manager = [var.cert_manager_version] }
}
