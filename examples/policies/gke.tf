resource "versionskew_validation" "gke" {
  policy                = "gke"
  control_plane_version = "1.36.4-gke.1000000"

  node_pools = {
    general = { kubelet = "1.36.4-gke.1000000" }
    batch   = { kubelet = "1.34.10-gke.1300000" }
  }
}
