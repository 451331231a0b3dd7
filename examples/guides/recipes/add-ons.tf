data "versionskew_policy" "add_ons" {
  extends = "eks"
  include = ["addons/cert-manager", "addons/cluster-autoscaler", "addons/vpc-cni"]

  # These rules are warnings in the packs.
  skew_rules = { cluster-autoscaler-apiserver = { severity = "error" } }
  step_rules = { vpc-cni-step = { severity = "error" } }
}

resource "versionskew_validation" "add_ons" {
  policy                = data.versionskew_policy.add_ons.json
  control_plane_version = var.control_plane_version
  node_pools            = local.node_pools

  # Use these variables in helm_release and aws_eks_addon, too.
  components = {
    cert-manager       = [var.cert_manager_version]
    cluster-autoscaler = [var.cluster_autoscaler_image_tag]
    vpc-cni            = [var.vpc_cni_addon_version]
  }
}
