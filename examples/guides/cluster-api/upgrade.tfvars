cluster_api_version   = "v1.13.6"
control_plane_version = "v1.36.3"
machine_deployment_versions = {
  general = "v1.36.3"
  gpu     = "v1.34.7"
}
