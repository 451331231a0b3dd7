# A cluster of Google GKE: control plane and node pools. The resources of the
# cloud are stood in for by terraform_data, so that the module runs without an
# account; each says what it stands for.

locals {
  policy = "gke"

  # The desired versions, in the shape of the provider. A node pool brings the
  # kube-proxy of its own version.
  node_pools = {
    for pool in var.node_pools : pool.name => {
      kubelet    = coalesce(pool.version, var.kubernetes_version)
      kube_proxy = coalesce(pool.version, var.kubernetes_version)
    }
  }
}

data "versionskew_evaluation" "this" {
  control_plane_version = var.kubernetes_version
  node_pools            = local.node_pools
  kubectl               = var.kubectl_versions
  policy                = local.policy
  waivers               = var.waivers
}

locals {
  # What stands against each node pool, in words.
  objections = {
    for name in keys(local.node_pools) : name => [
      for finding in data.versionskew_evaluation.this.findings : "${finding.message} ${finding.remedy}"
      if finding.severity == "error" && finding.waived_by == null && contains(finding.locations, "node_pools[\"${name}\"]")
    ]
  }
}

# Stands for google_container_cluster.
resource "terraform_data" "cluster" {
  input = {
    project            = var.project_id
    name               = var.name
    location           = var.region
    min_master_version = var.kubernetes_version
    release_channel    = var.release_channel
  }
}

# Stands for google_container_node_pool.
resource "terraform_data" "node_pool" {
  for_each = { for pool in var.node_pools : pool.name => pool }

  input = {
    cluster      = terraform_data.cluster.output.name
    name         = each.key
    version      = local.node_pools[each.key].kubelet
    auto_upgrade = each.value.auto_upgrade
    machine_type = each.value.machine_type
    autoscaling = {
      min_node_count = each.value.min_count
      max_node_count = each.value.max_count
    }
  }

  lifecycle {
    # Judged before the pool is made, even if its version is known only during
    # the apply.
    precondition {
      condition     = length(local.objections[each.key]) == 0
      error_message = join("\n\n", concat(["The node pool \"${each.key}\" does not go together with the cluster \"${var.name}\"."], local.objections[each.key]))
    }
  }
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

  depends_on = [terraform_data.cluster, terraform_data.node_pool]
}

# No page of GKE says so, but users report that its API wants node pools with
# auto-upgrade within one minor of the control plane. That is worth a warning.
check "auto_upgrade" {
  assert {
    condition = alltrue([
      for pool in var.node_pools : provider::versionskew::minor_skew(local.node_pools[pool.name].kubelet, var.kubernetes_version) >= -1
      if pool.auto_upgrade
    ])
    error_message = "GKE may refuse a node pool with auto-upgrade that is more than one minor behind the control plane."
  }
}
