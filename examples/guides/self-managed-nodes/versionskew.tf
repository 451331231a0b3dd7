data "versionskew_policy" "this" {
  extends = "eks"
  include = ["addons/karpenter"]
}

resource "versionskew_validation" "this" {
  policy                = data.versionskew_policy.this.json
  control_plane_version = aws_eks_cluster.this.version
  node_pools = {
    general = { kubelet = var.node_version }
    gpu     = { kubelet = var.gpu_ami.kubelet }
  }
  components = { karpenter = [var.karpenter_version] }

  # Records the new versions only after the upgrade has succeeded.
  depends_on = [aws_eks_cluster.this, aws_autoscaling_group.general, kubernetes_manifest.gpu]
}
