locals {
  next = {
    eks     = module.eks.next_control_plane_version
    gke     = module.gke.next_control_plane_version
    aks     = module.aks.next_control_plane_version
    kubeadm = module.kubeadm_ha.next_control_plane_version
  }
}

output "may_move_on" {
  description = "Clusters whose control plane may move to its next minor, and to which."
  value       = { for name, next in local.next : name => next.version if length(next.blocked_by) == 0 }
}

output "blocked" {
  description = "Clusters that have to do something else first."
  value       = { for name, next in local.next : name => next.blocked_by if length(next.blocked_by) > 0 }
}

output "eks_upgrade_plan" {
  value = module.eks.upgrade_plan
}

output "aks_next_versions" {
  value = module.aks.next_versions
}
