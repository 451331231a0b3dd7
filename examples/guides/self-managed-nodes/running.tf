# All nodes that run now.
data "kubernetes_nodes" "running" {}

data "versionskew_evaluation" "running" {
  policy                = "eks"
  control_plane_version = var.kubernetes_version
  node_pools = {
    for node in data.kubernetes_nodes.running.nodes : node.metadata[0].name => { kubelet = node.status[0].node_info[0].kubelet_version }
  }
}

check "running_nodes" {
  assert {
    condition     = data.versionskew_evaluation.running.supported
    error_message = "Running nodes do not fit ${var.kubernetes_version}: ${data.versionskew_evaluation.running.summary.text}"
  }
}
