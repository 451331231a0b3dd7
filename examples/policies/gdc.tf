resource "versionskew_validation" "gdc" {
  policy                = "gdc"
  control_plane_version = "1.33.5-gke.1000"

  node_pools = {
    general = { kubelet = "1.33.5-gke.1000" }
    batch   = { kubelet = "1.31.9-gke.700" }
  }
}
