resource "versionskew_validation" "digitalocean-doks" {
  policy                = "digitalocean-doks"
  control_plane_version = "1.36.2-do.0"

  node_pools = {
    general = { kubelet = "1.36.2-do.0" }
  }
}
