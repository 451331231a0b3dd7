data "versionskew_policy" "end_of_life" {
  extends = "eks"

  advisories = {
    end-of-life = { days = 90 }
  }
}

resource "versionskew_validation" "end_of_life" {
  policy                = data.versionskew_policy.end_of_life.json
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools
  as_of                 = var.as_of
}
