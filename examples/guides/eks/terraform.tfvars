name               = "production"
kubernetes_version = "1.35"
kube_proxy_version = "v1.35.0-eksbuild.2"
eks_managed_node_groups = {
  general = { kubernetes_version = "1.35" }
  gpu     = { kubernetes_version = "1.32" }
}
