# The versions that run when you add the guard. You can remove this block after the
# first apply.
import {
  to = versionskew_validation.this
  id = jsonencode({
    control_plane_version = "1.35"
    node_pools            = { general = { kubelet = "1.35" } }
    kube_proxy            = "v1.35.4-eksbuild.2"
  })
}

resource "versionskew_validation" "this" {
  policy                = "eks"
  control_plane_version = aws_eks_cluster.this.version
  node_pools            = { for name, group in aws_eks_node_group.this : name => { kubelet = group.version } }
  kube_proxy            = aws_eks_addon.kube_proxy.addon_version

  depends_on = [aws_eks_cluster.this, aws_eks_node_group.this, aws_eks_addon.kube_proxy]
}
