# Fails the plan if versions violate the policy. Copy this file into a module with the
# resources kubernetes_manifest.control_plane and kubernetes_manifest.machine_deployment,
# and with variables for their versions and for that of Cluster API.

resource "versionskew_validation" "cluster" {
  policy = "cluster-api"

  control_plane_version = var.control_plane_version
  node_pools            = { for name, version in var.machine_deployment_versions : name => { kubelet = version } }
  components            = { cluster-api = [var.cluster_api_version] }

  # Records the new versions only after the upgrade has succeeded.
  depends_on = [kubernetes_manifest.control_plane, kubernetes_manifest.machine_deployment]
}
