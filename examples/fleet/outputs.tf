output "control_planes" {
  description = "Version of every control plane."
  value = {
    eks     = module.eks.cluster_version
    aks     = module.aks.kubernetes_version
    gke     = module.gke.master_version
    kubeadm = module.kubeadm_ha.control_plane_versions
  }
}
