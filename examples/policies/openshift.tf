resource "versionskew_validation" "openshift" {
  policy                = "openshift"
  control_plane_version = "4.22.5"

  node_pools = {
    workers = { kubelet = "4.22.5" }
    canary  = { kubelet = "4.21.9" }
  }
}
