resource "versionskew_validation" "eks-anywhere" {
  policy                = "eks-anywhere"
  control_plane_version = "1.36"

  node_pools = {
    general = { kubelet = "1.36" }
    gpu     = { kubelet = "1.35" }
  }
}
