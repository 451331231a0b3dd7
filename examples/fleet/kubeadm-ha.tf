# In the middle of its upgrade to 1.37: one API server is there.
module "kubeadm_ha" {
  source = "../modules/kubeadm-ha"

  cluster_name = "edge"
  control_plane = {
    cp-0 = { version = "1.37.1", kubelet = "1.36.4" }
    cp-1 = { version = "1.36.4" }
    cp-2 = { version = "1.36.4" }
  }
  node_pools = {
    general = { kubelet = "1.36.4", count = 3 }
    storage = { kubelet = "1.34.9", count = 2 }
  }
  kube_proxy_version = "1.36.4"
  kubeadm_version    = "1.37.1"
  kubectl_versions   = ["1.36.4", "1.37.1"]
}
