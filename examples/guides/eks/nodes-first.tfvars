kubernetes_version = "1.35"
eks_managed_node_groups = {
  general = { kubernetes_version = "1.35" }
  gpu     = { kubernetes_version = "1.35" }
}
