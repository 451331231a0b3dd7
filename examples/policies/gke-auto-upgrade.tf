resource "versionskew_validation" "gke-auto-upgrade" {
  policy                = "gke-auto-upgrade"
  control_plane_version = "1.36.4-gke.1000000"

  node_pools = {
    general = { kubelet = "1.36.4-gke.1000000" }
    batch   = { kubelet = "1.35.8-gke.1225000" }
  }
}
