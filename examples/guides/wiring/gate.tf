# Evaluated during the apply as soon as all versions are known, and before any node group
# is created or upgraded.
data "versionskew_evaluation" "gate" {
  policy                = "eks"
  control_plane_version = aws_eks_cluster.this.version
  node_pools            = { for name, version in var.node_group_versions : name => { kubelet = version } }
  kube_proxy            = data.aws_eks_addon_version.kube_proxy.version

  lifecycle {
    postcondition {
      condition     = self.supported
      error_message = join(" ", self.findings[*].message)
    }
  }
}
