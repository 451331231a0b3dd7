# Fails the plan if versions violate the policy, now or during the apply. Copy this
# file into a module with the resources google_container_cluster.this and
# google_container_node_pool.this (with for_each), and with variables for the
# project, the region and the name of the cluster.

variable "observe" {
  description = "Whether to read the running versions from Google Cloud in every plan. Set it to true once the cluster exists, and to false for an apply that replaces it."
  type        = bool
  default     = false
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

# What runs now. This data source does not depend on a managed resource, so it is
# read during the plan. It fails if the cluster does not exist.
data "google_container_cluster" "running" {
  count = var.observe ? 1 : 0

  project  = var.project_id
  name     = var.name
  location = var.region
}

# What GKE offers in the region.
data "google_container_engine_versions" "offered" {
  project  = var.project_id
  location = var.region
}

# A replaced cluster keeps its Google Cloud ID. This ID changes with every
# replacement.
resource "terraform_data" "cluster_id" {
  lifecycle {
    replace_triggered_by = [google_container_cluster.this.id]
  }
}

locals {
  running = one([
    for cluster in data.google_container_cluster.running : {
      control_plane_version = cluster.master_version
      emulated_version      = cluster.emulated_version == "" ? null : cluster.emulated_version
      node_pools            = { for pool in cluster.node_pool : pool.name => { kubelet = pool.version } }
    }
  ])

  # min_master_version never downgrades the control plane, so the newer of these
  # versions counts. In a release channel, min_master_version can be null.
  master_versions = {
    for version, parts in {
      for version in toset(compact([try(local.running.control_plane_version, null), google_container_cluster.this.min_master_version])) :
      version => provider::versionskew::version_parse(version)
    } :
    format("%06d.%06d.%012d", parts.minor, coalesce(parts.patch, 0), try(regex("[0-9]+", parts.build), 0)) => version...
  }
  master_version = try(local.master_versions[reverse(sort(keys(local.master_versions)))[0]][0], null)

  offered_node_versions = data.google_container_engine_versions.offered.valid_node_versions
}

resource "versionskew_validation" "this" {
  policy = "gke"

  # The arguments that set versions. If GKE chooses the version of a pool, it is that
  # of the last refresh, and unknown only in the plan that creates the pool.
  control_plane_version = local.master_version
  emulated_version      = google_container_cluster.this.desired_emulated_version
  node_pools            = { for name, pool in google_container_node_pool.this : name => { kubelet = pool.version } }

  cluster_id = terraform_data.cluster_id.id
  observed   = local.running

  available_versions = data.google_container_engine_versions.offered.valid_master_versions

  # A node pool without a version gets that of the control plane, even if GKE has retired
  # it.
  available_node_versions = length(local.offered_node_versions) == 0 ? [] : concat(local.offered_node_versions, local.master_version[*])

  waivers = var.waivers

  # Records the new versions only after the upgrade has succeeded.
  depends_on = [google_container_cluster.this, google_container_node_pool.this]
}
