output "control_planes" {
  description = "Versions of the control planes that run exactly the declared version."
  value = {
    eks     = module.eks.cluster_version
    aks     = module.aks.kubernetes_version
    kubeadm = module.kubeadm_ha.control_plane_versions
  }
}
