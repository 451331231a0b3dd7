# A highly available cluster that is made with kubeadm: control-plane instances
# that are upgraded one by one, worker pools, and the clients of the
# administrators. The machines are stood in for by terraform_data.

locals {
  policy = "kubeadm"

  # The desired versions, in the shape of the provider.
  control_plane = {
    for name, instance in var.control_plane : name => {
      version    = instance.version
      kubelet    = coalesce(instance.kubelet, instance.version)
      kube_proxy = var.kube_proxy_version
    }
  }
  node_pools = {
    for name, pool in var.node_pools : name => {
      kubelet    = pool.kubelet
      kube_proxy = var.kube_proxy_version
    }
  }
  components = {
    kubeadm = [var.kubeadm_version]
  }
}

data "versionskew_evaluation" "this" {
  control_plane      = local.control_plane
  apiserver_endpoint = var.apiserver_endpoint
  node_pools         = local.node_pools
  components         = local.components
  kubectl            = var.kubectl_versions
  observed           = var.running
  policy             = local.policy
  waivers            = var.waivers
  as_of              = var.as_of
}

locals {
  # What stands against each machine, in words.
  objections = {
    for location in concat(
      [for name in keys(local.control_plane) : "control_plane[\"${name}\"]"],
      [for name in keys(local.node_pools) : "node_pools[\"${name}\"]"],
      ) : location => [
      for finding in data.versionskew_evaluation.this.findings : "${finding.message} ${finding.remedy}"
      if finding.severity == "error" && finding.waived_by == null && contains(finding.locations, location)
    ]
  }
}

# Stands for the machines of the control plane, and for kubeadm init, join and
# upgrade on them.
resource "terraform_data" "control_plane" {
  for_each = local.control_plane

  input = {
    cluster = var.cluster_name
    name    = each.key
    kubeadm = var.kubeadm_version
    version = each.value.version
    kubelet = each.value.kubelet
  }

  lifecycle {
    precondition {
      condition     = length(local.objections["control_plane[\"${each.key}\"]"]) == 0
      error_message = join("\n\n", concat(["control_plane[\"${each.key}\"] does not fit into the cluster \"${var.cluster_name}\"."], local.objections["control_plane[\"${each.key}\"]"]))
    }
  }
}

# Stands for the machines of the workers. They come after the control plane.
resource "terraform_data" "node_pool" {
  for_each = local.node_pools

  input = {
    cluster    = var.cluster_name
    name       = each.key
    kubelet    = each.value.kubelet
    kube_proxy = each.value.kube_proxy
    count      = var.node_pools[each.key].count
  }

  lifecycle {
    precondition {
      condition     = length(local.objections["node_pools[\"${each.key}\"]"]) == 0
      error_message = join("\n\n", concat(["node_pools[\"${each.key}\"] does not fit into the cluster \"${var.cluster_name}\"."], local.objections["node_pools[\"${each.key}\"]"]))
    }
  }

  depends_on = [terraform_data.control_plane]
}

# Judges the whole plan before anything runs, and the step to it. Because of
# depends_on, the new versions are recorded only when every machine has them.
resource "versionskew_validation" "this" {
  control_plane      = local.control_plane
  apiserver_endpoint = var.apiserver_endpoint
  node_pools         = local.node_pools
  components         = local.components
  kubectl            = var.kubectl_versions
  observed           = var.running
  policy             = local.policy
  waivers            = var.waivers
  as_of              = var.as_of

  depends_on = [terraform_data.control_plane, terraform_data.node_pool]
}

# The resource warns of an end of life. This adds who keeps the control plane
# from moving on.
check "way_out_of_end_of_life" {
  assert {
    condition = length(local.ends_of_life) == 0 || length(data.versionskew_evaluation.this.next_control_plane_version.blocked_by) == 0
    error_message = join(" ", concat(
      local.ends_of_life,
      ["In the way of ${data.versionskew_evaluation.this.next_control_plane_version.version}:"],
      data.versionskew_evaluation.this.next_control_plane_version.blocked_by,
    ))
  }
}

locals {
  ends_of_life = [for finding in data.versionskew_evaluation.this.findings : finding.message if finding.rule == "end-of-life"]
}
