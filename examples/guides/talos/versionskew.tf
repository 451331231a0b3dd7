provider "versionskew" {
  policy = "talos"
}

resource "versionskew_validation" "cluster" {
  control_plane_version = var.kubernetes_version
  node_pools            = { workers = { kubelet = var.kubernetes_version, kube_proxy = var.kubernetes_version } }
  components            = { talos = [var.talos_version] }

  depends_on = [talos_machine.main, talos_cluster.main]
}
