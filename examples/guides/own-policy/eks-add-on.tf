variable "kubernetes_version" {
  type    = string
  default = "1.36"
}

variable "coredns" {
  type    = string
  default = "v1.36.4-eksbuild.2"
}

# The version that EKS installs by default for this Kubernetes version.
data "aws_eks_addon_version" "coredns" {
  addon_name         = "coredns"
  kubernetes_version = var.kubernetes_version
}

data "versionskew_policy" "eks" {
  extends = "eks"
  requirement_rules = {
    coredns = {
      require = { component = "coredns", version = ">= ${data.aws_eks_addon_version.coredns.version}" }
    }
  }
}

resource "versionskew_validation" "eks" {
  policy                = data.versionskew_policy.eks.json
  control_plane_version = var.kubernetes_version
  components            = { coredns = [var.coredns] }
}
