output "control_planes" {
  description = "Control-plane versions, where the platform runs exactly the declared version."
  value = {
    eks     = module.eks.cluster_version
    aks     = module.aks.kubernetes_version
    kubeadm = module.kubeadm_ha.control_plane_versions
  }
}
