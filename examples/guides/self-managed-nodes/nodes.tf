# Self-managed nodes. The path of the parameter contains the version of the kubelet.
data "aws_ssm_parameter" "ami" {
  name = "/aws/service/eks/optimized-ami/${var.node_version}/amazon-linux-2023/x86_64/standard/recommended/image_id"
}

resource "aws_launch_template" "general" {
  name_prefix   = "${aws_eks_cluster.this.name}-general-"
  image_id      = data.aws_ssm_parameter.ami.insecure_value
  instance_type = "m7i.large"
}

resource "aws_autoscaling_group" "general" {
  name                = "general"
  min_size            = 1
  max_size            = 3
  vpc_zone_identifier = ["subnet-0a1b2c3d4e5f60001"]

  launch_template {
    id      = aws_launch_template.general.id
    version = aws_launch_template.general.latest_version
  }

  # Replaces the instances after the launch template has changed.
  instance_refresh {
    strategy = "Rolling"
  }
}

# Karpenter nodes whose AMI follows the control plane.
resource "kubernetes_manifest" "default" {
  manifest = {
    apiVersion = "karpenter.k8s.aws/v1"
    kind       = "EC2NodeClass"
    metadata   = { name = "default" }
    spec = {
      role                       = "KarpenterNodeRole"
      amiSelectorTerms           = [{ alias = "al2023@v20260610" }]
      subnetSelectorTerms        = [{ tags = { "karpenter.sh/discovery" = aws_eks_cluster.this.name } }]
      securityGroupSelectorTerms = [{ tags = { "karpenter.sh/discovery" = aws_eks_cluster.this.name } }]
    }
  }
}

# Karpenter nodes that keep their AMI.
resource "kubernetes_manifest" "gpu" {
  manifest = {
    apiVersion = "karpenter.k8s.aws/v1"
    kind       = "EC2NodeClass"
    metadata   = { name = "gpu" }
    spec = {
      role                       = "KarpenterNodeRole"
      amiFamily                  = "AL2023"
      amiSelectorTerms           = [{ id = var.gpu_ami.id }]
      subnetSelectorTerms        = [{ tags = { "karpenter.sh/discovery" = aws_eks_cluster.this.name } }]
      securityGroupSelectorTerms = [{ tags = { "karpenter.sh/discovery" = aws_eks_cluster.this.name } }]
    }
  }
}
