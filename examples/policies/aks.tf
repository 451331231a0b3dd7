resource "versionskew_validation" "aks" {
  policy                = "aks"
  control_plane_version = "1.36.1"

  node_pools = {
    system = { kubelet = "1.36.1" }
    batch  = { kubelet = "1.35.5" }
  }
}
