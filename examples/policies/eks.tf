resource "versionskew_validation" "eks" {
  policy                = "eks"
  control_plane_version = "1.36"

  node_pools = {
    general = { kubelet = "v1.36.2-eks-7f9249a", kube_proxy = "v1.36.0-eksbuild.2" }
    gpu     = { kubelet = "v1.34.6-eks-7f9249a", kube_proxy = "v1.36.0-eksbuild.2" }
  }
}
