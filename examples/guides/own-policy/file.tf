resource "versionskew_validation" "other_cluster" {
  control_plane_version = "1.36"
  node_pools            = { general = { kubelet = "1.35" } }

  policy = file("${path.module}/policy.json")
}
