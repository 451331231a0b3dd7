provider "versionskew" {
  policy = "cluster-api"
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.machine_deployment_versions : name => { kubelet = version } }
  components            = { cluster-api = [var.cluster_api_version] }

  depends_on = [kubernetes_manifest.control_plane, kubernetes_manifest.machine_deployment]
}
