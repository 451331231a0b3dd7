output "control_planes" {
  description = "Version of the control planes that take exactly the version which is declared."
  value = {
    eks     = module.eks.cluster_version
    aks     = module.aks.kubernetes_version
    kubeadm = module.kubeadm_ha.control_plane_versions
  }
}
