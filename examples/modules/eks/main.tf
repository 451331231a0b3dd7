# A cluster of Amazon EKS: control plane, managed node groups and the kube-proxy
# add-on. The resources of the cloud are stood in for by terraform_data, so that
# the module runs without an account; each says what it stands for.

locals {
  policy = "eks"

  # The desired versions, in the shape of the provider. The add-on runs on every
  # node.
  node_pools = {
    for name, group in var.eks_managed_node_groups : name => {
      kubelet    = coalesce(group.ami_release_version, group.kubernetes_version, var.kubernetes_version)
      kube_proxy = local.kube_proxy_version
    }
  }
  kube_proxy_version = !contains(keys(var.addons), "kube-proxy") ? null : coalesce(var.addons["kube-proxy"].addon_version, var.kubernetes_version)
}

data "versionskew_evaluation" "this" {
  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  policy                = local.policy
  waivers               = var.waivers
}

locals {
  # What stands against each node group, in words.
  objections = {
    for name in keys(local.node_pools) : name => [
      for finding in data.versionskew_evaluation.this.findings : "${finding.message} ${finding.remedy}"
      if finding.severity == "error" && finding.waived_by == null && contains(finding.locations, "node_pools[\"${name}\"]")
    ]
  }
}

# Stands for aws_eks_cluster.
resource "terraform_data" "cluster" {
  input = {
    name    = var.name
    version = var.kubernetes_version
  }
}

# Stands for aws_eks_node_group.
resource "terraform_data" "node_group" {
  for_each = var.eks_managed_node_groups

  input = {
    cluster_name    = terraform_data.cluster.output.name
    node_group_name = each.key
    version         = coalesce(each.value.kubernetes_version, var.kubernetes_version)
    release_version = each.value.ami_release_version
    ami_type        = each.value.ami_type
    instance_types  = each.value.instance_types
    scaling_config = {
      min_size     = each.value.min_size
      max_size     = each.value.max_size
      desired_size = each.value.desired_size
    }
  }

  lifecycle {
    # Judged before the group is made, even if its version is known only during
    # the apply, as that of an AMI can be.
    precondition {
      condition     = var.enforcement_level == "advisory" || length(local.objections[each.key]) == 0
      error_message = join("\n\n", concat(["eks_managed_node_groups[\"${each.key}\"] does not go together with the cluster \"${var.name}\"."], local.objections[each.key]))
    }
  }
}

# Stands for aws_eks_addon. Add-ons come after the nodes.
resource "terraform_data" "addon" {
  for_each = var.addons

  input = {
    cluster_name  = terraform_data.cluster.output.name
    addon_name    = each.key
    addon_version = each.value.addon_version
  }

  depends_on = [terraform_data.node_group]
}

# Judges the whole plan before anything runs, and the step from the versions of
# the last apply. Because of depends_on, the new versions are recorded only when
# everything has arrived there.
resource "versionskew_validation" "this" {
  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  policy                = local.policy
  waivers               = var.waivers
  enforcement_level     = var.enforcement_level

  depends_on = [terraform_data.cluster, terraform_data.node_group, terraform_data.addon]
}

data "versionskew_upgrade_plan" "this" {
  count = var.upgrade_target == null ? 0 : 1

  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  target_version        = var.upgrade_target
  policy                = local.policy
  waivers               = var.waivers
}
