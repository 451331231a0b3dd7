# A page in Markdown on a fleet: a row for each cluster, rolled up by ring.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "rings" {
  description = "Clusters by ring and name, as their states publish them."
  type = map(map(object({
    policy                = string
    control_plane_version = string
    node_pool_versions    = map(string)
    summary               = object({ errors = number, warnings = number, waived = number, text = string })
  })))
}

variable "order" {
  description = "Rings in the order in which they upgrade."
  type        = list(string)
}

variable "as_of" {
  description = "Day for which the page is written (default today)."
  type        = string
  default     = null
}

locals {
  clusters = merge([
    for ring, clusters in var.rings : { for name, cluster in clusters : "${ring}/${name}" => merge(cluster, { ring = ring, name = name }) }
  ]...)
}

# What the versions mean today, and not on the day of the last apply.
data "versionskew_evaluation" "cluster" {
  for_each = local.clusters

  policy                = each.value.policy
  control_plane_version = each.value.control_plane_version
  node_pools            = { for name, version in each.value.node_pool_versions : name => { kubelet = version } }
  as_of                 = var.as_of
}

# The support dates of the platforms, and of upstream for those that have none.
data "versionskew_policy" "platform" {
  for_each = toset([for cluster in local.clusters : cluster.policy])

  extends = each.key
}

data "versionskew_releases" "upstream" {
  as_of = var.as_of
}

locals {
  releases = {
    for name, policy in data.versionskew_policy.platform : name => try(jsondecode(policy.json).releases, data.versionskew_releases.upstream.releases)
  }
  minor = { for id, cluster in local.clusters : id => provider::versionskew::version_parse(cluster.control_plane_version).minor_version }
  # An empty string where nobody has published a date.
  end_of_support = {
    for id, cluster in local.clusters : id => try(coalesce(local.releases[cluster.policy][local.minor[id]].end_of_life), "")
  }
  next = { for id, evaluation in data.versionskew_evaluation.cluster : id => evaluation.next_control_plane_version }

  page = templatefile("${path.module}/page.md.tftpl", {
    rings = [
      for ring in var.order : {
        name = ring
        clusters = [
          for id, cluster in local.clusters : {
            name           = cluster.name
            version        = cluster.control_plane_version
            end_of_support = local.end_of_support[id]
            next           = coalesce(local.next[id].version, "-")
            blocked_by     = local.next[id].blocked_by
            verdict        = cluster.summary.text
            supported      = cluster.summary.errors == 0
          } if cluster.ring == ring
        ]
        minors = distinct(sort([for id, cluster in local.clusters : local.minor[id] if cluster.ring == ring]))
        ends   = sort([for id, cluster in local.clusters : local.end_of_support[id] if cluster.ring == ring && local.end_of_support[id] != ""])
      }
    ]
  })
}

output "markdown" {
  description = "The page."
  value       = local.page
}
