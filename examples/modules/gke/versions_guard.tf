# Refuses a plan whose versions break the policy, now or on the way. Copy this
# file into a module with the resources google_container_cluster.this and
# google_container_node_pool.this (with for_each), and variables for the project,
# the region and the name of the cluster.

variable "observe" {
  description = "Read what runs from Google Cloud before every plan. Set it to true once the cluster exists, and to false in the apply that replaces it."
  type        = bool
  default     = false
}

variable "waivers" {
  description = "Findings that you accept, by a name you choose: which rule, where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}

# What runs now. This data source takes nothing from a resource, so that it is
# read in the plan. It fails without a cluster.
data "google_container_cluster" "running" {
  count = var.observe ? 1 : 0

  project  = var.project_id
  name     = var.name
  location = var.region
}

# Google Cloud gives a new cluster the ID of the one that it replaces. This ID is
# replaced together with the cluster.
resource "terraform_data" "cluster_id" {
  lifecycle {
    replace_triggered_by = [google_container_cluster.this.id]
  }
}

locals {
  running = one([
    for cluster in data.google_container_cluster.running : {
      control_plane_version = cluster.master_version
      node_pools            = { for pool in cluster.node_pool : pool.name => { kubelet = pool.version } }
    }
  ])

  # min_master_version moves the control plane only if that is older.
  master_version = (local.running == null
    ? google_container_cluster.this.min_master_version
    : provider::versionskew::minor_skew(local.running.control_plane_version, google_container_cluster.this.min_master_version) > 0
    ? local.running.control_plane_version
    : google_container_cluster.this.min_master_version
  )
}

resource "versionskew_validation" "this" {
  policy = "gke"

  # The arguments that move versions. A pool that GKE decides on has the version
  # that it had at the last refresh, which is unknown only in the plan that creates
  # it.
  control_plane_version = local.master_version
  node_pools            = { for name, pool in google_container_node_pool.this : name => { kubelet = pool.version } }

  cluster_id = terraform_data.cluster_id.id
  observed   = local.running
  waivers    = var.waivers

  # The new versions are recorded only once the upgrade has succeeded.
  depends_on = [google_container_cluster.this, google_container_node_pool.this]
}
