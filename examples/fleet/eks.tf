module "eks" {
  source = "../modules/eks"

  name               = "production"
  kubernetes_version = "1.36"
  kube_proxy_version = "v1.36.0-eksbuild.2"

  eks_managed_node_groups = {
    general = { instance_types = ["m7i.xlarge"], max_size = 6 }
    gpu     = { instance_types = ["g6.xlarge"], kubernetes_version = "1.35" }
  }
}
