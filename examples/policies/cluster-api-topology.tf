resource "versionskew_validation" "cluster-api-topology" {
  policy                = "cluster-api-topology"
  control_plane_version = "v1.36.3"

  node_pools = {
    general = { kubelet = "v1.36.3" }
    gpu     = { kubelet = "v1.35.5" }
  }

  components = {
    cluster-api = ["v1.13.6"]
  }
}
