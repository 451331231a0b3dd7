# Fails the plan if versions violate the policy, now or during the apply. Copy this
# file into a module with the resources aws_eks_cluster.this,
# aws_eks_node_group.this (with for_each, and the key in the tag "Name") and
# aws_eks_addon.kube_proxy, and with a variable "name" for the name of the cluster.

variable "observe" {
  description = "Whether to read the running versions from AWS in every plan. Set it to false if the module is called with depends_on, which defers reading to the apply."
  type        = bool
  default     = true
}

variable "kube_proxy_installed" {
  description = "Whether the existing cluster has the kube-proxy add-on. Set it to false if it does not have it yet, for example after the first apply has failed."
  type        = bool
  default     = true
}

variable "waivers" {
  description = "Accepted findings, keyed by a name you choose: which rule, where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}

# What runs now. These data sources do not depend on a managed resource, so they are
# read during the plan. They read nothing until the cluster exists.
data "aws_eks_clusters" "running" {}

data "aws_eks_cluster" "running" {
  for_each = toset([for name in var.observe ? data.aws_eks_clusters.running.names : [] : name if name == var.name])

  name = each.key
}

data "aws_eks_node_groups" "running" {
  for_each = data.aws_eks_cluster.running

  cluster_name = each.key
}

data "aws_eks_node_group" "running" {
  for_each = toset(flatten([for groups in data.aws_eks_node_groups.running : tolist(groups.names)]))

  cluster_name    = var.name
  node_group_name = each.key
}

data "aws_eks_addon" "running" {
  for_each = { for name, cluster in data.aws_eks_cluster.running : name => cluster if var.kube_proxy_installed }

  cluster_name = each.key
  addon_name   = "kube-proxy"
}

# What EKS offers, also in extended support.
data "aws_eks_cluster_versions" "offered" {}

locals {
  # The name of a node group has a generated suffix, so its tag tells which one it is. If
  # a failed replacement has left two with the same tag, the second one counts as another
  # node group.
  running_versions = {
    for name, group in data.aws_eks_node_group.running : try(group.tags["Name"], name) => group.version...
  }
  running_node_groups = merge([
    for name, versions in local.running_versions : {
      for number, version in versions : number == 0 ? name : "${name} (${number + 1})" => { kubelet = version }
    }
  ]...)
}

resource "versionskew_validation" "this" {
  policy = "eks"

  # The arguments that set versions. They are known at plan time.
  control_plane_version = aws_eks_cluster.this.version
  node_pools            = { for name, group in aws_eks_node_group.this : name => { kubelet = group.version } }
  kube_proxy            = aws_eks_addon.kube_proxy.addon_version

  # A replaced cluster keeps its ARN, but has a new creation time.
  cluster_id = "${aws_eks_cluster.this.arn} ${aws_eks_cluster.this.created_at}"

  observed = one([
    for name, cluster in data.aws_eks_cluster.running : {
      control_plane_version = cluster.version
      node_pools            = local.running_node_groups
      kube_proxy            = one([for add_on in data.aws_eks_addon.running : add_on.addon_version])
    }
  ])

  available_versions = data.aws_eks_cluster_versions.offered.cluster_versions[*].cluster_version

  waivers = var.waivers

  # Records the new versions only after the upgrade has succeeded.
  depends_on = [aws_eks_cluster.this, aws_eks_node_group.this, aws_eks_addon.kube_proxy]
}
