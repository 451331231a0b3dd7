data "versionskew_evaluation" "cluster" {
  control_plane_version = "1.37.2"

  node_pools = {
    general = { kubelet = "1.37.2" }
    gpu     = { kubelet = "1.33.13" }
  }
}

output "errors" {
  value = [for f in data.versionskew_evaluation.cluster.findings : f.message if f.severity == "error"]
}

output "kubelet_versions" {
  value = data.versionskew_evaluation.cluster.allowed_versions["kubelet"].minors
}
