variable "kubernetes_version" {
  type    = string
  default = "1.35"
}

variable "add_ons" {
  description = "Versions of the EKS add-ons."
  type        = map(string)
  default = {
    aws-ebs-csi-driver = "v1.55.0-eksbuild.2"
    coredns            = "v1.13.2-eksbuild.4"
    vpc-cni            = "v1.22.4-eksbuild.3"
  }
}

# The versions that EKS installs by default for this Kubernetes version.
data "aws_eks_addon_version" "default" {
  for_each = var.add_ons

  addon_name         = each.key
  kubernetes_version = var.kubernetes_version
}

data "versionskew_policy" "eks" {
  extends = "eks"
  requirement_rules = {
    for name, add_on in data.aws_eks_addon_version.default : name => {
      require = { component = name, version = ">= ${add_on.version}" }
    }
  }
}

resource "versionskew_validation" "eks" {
  policy                = data.versionskew_policy.eks.json
  control_plane_version = var.kubernetes_version
  components            = { for name, version in var.add_ons : name => [version] }
}
