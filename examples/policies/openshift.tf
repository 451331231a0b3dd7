resource "versionskew_validation" "openshift" {
  policy                = "openshift"
  control_plane_version = "v1.36.3"

  node_pools = {
    workers = { kubelet = "v1.36.3" }
    canary  = { kubelet = "v1.35.5" }
  }
}
