cluster_version    = "1.35"
kube_proxy_version = "v1.35.0-eksbuild.2"
node_group_versions = {
  general = "1.35"
  gpu     = "1.35"
}
