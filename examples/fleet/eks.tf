module "eks" {
  source = "../modules/eks"

  name               = "production"
  kubernetes_version = "1.36"

  eks_managed_node_groups = {
    general = { instance_types = ["m7i.xlarge"], max_size = 6 }
    gpu     = { instance_types = ["g6.xlarge"], ami_release_version = "1.35.4-20260610" }
  }
  addons = {
    coredns    = {}
    kube-proxy = { addon_version = "v1.36.0-eksbuild.2" }
  }
  kubectl_versions = ["1.36.2"]

  upgrade_target = "1.38"
}
