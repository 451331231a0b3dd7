# A Markdown page with a row for each ring and each cluster.

terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "rings" {
  description = "Published clusters, keyed by ring and then by name."
  type = map(map(object({
    policy                = string
    control_plane_version = string
    node_pool_versions    = map(string)
    summary               = object({ errors = number, warnings = number, waived = number, text = string })
  })))
}

variable "order" {
  description = "Rings in upgrade order."
  type        = list(string)
}

variable "as_of" {
  description = "Date of the page. Defaults to the current date."
  type        = string
  default     = null
}

locals {
  clusters = merge([
    for ring, clusters in var.rings : { for name, cluster in clusters : "${ring}/${name}" => merge(cluster, { ring = ring, name = name }) }
  ]...)
}

# Evaluates the versions again, because support dates may have passed since the last
# apply of the ring.
data "versionskew_evaluation" "cluster" {
  for_each = local.clusters

  policy                = each.value.policy
  control_plane_version = each.value.control_plane_version
  node_pools            = { for name, version in each.value.node_pool_versions : name => { kubelet = version } }
  as_of                 = var.as_of
}

# Support dates of the platforms. Platforms without dates use those of upstream.
data "versionskew_policy" "platform" {
  for_each = toset([for cluster in local.clusters : cluster.policy])

  extends = each.key
}

data "versionskew_releases" "upstream" {
  as_of = var.as_of
}

locals {
  releases = {
    for name, policy in data.versionskew_policy.platform : name => try(jsondecode(policy.resolved_json).releases, data.versionskew_releases.upstream.releases)
  }
  minor = { for id, cluster in local.clusters : id => provider::versionskew::version_parse(cluster.control_plane_version).minor_version }
  # Empty if no date has been published.
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
            summary        = cluster.summary.text
            supported      = cluster.summary.errors == 0
            warnings       = cluster.summary.warnings
          } if cluster.ring == ring
        ]
        minors = distinct(sort([for id, cluster in local.clusters : local.minor[id] if cluster.ring == ring]))
        ends   = sort([for id, cluster in local.clusters : local.end_of_support[id] if cluster.ring == ring && local.end_of_support[id] != ""])
      }
    ]
  })
}

output "markdown" {
  description = "The page in Markdown."
  value       = local.page
}
