variable "doks_version" {
  type    = string
  default = "1.34.1-do.0"
}

resource "digitalocean_kubernetes_cluster" "shop" {
  name    = "shop"
  region  = "fra1"
  version = var.doks_version

  node_pool {
    name       = "general"
    size       = "s-4vcpu-8gb"
    node_count = 3
  }
}

# What DigitalOcean offers: only the newest patch of each minor version.
data "digitalocean_kubernetes_versions" "offered" {}

data "versionskew_policy" "doks" {
  extends = "digitalocean-doks"

  advisories = {
    latest-patch = { severity = "error" }
  }
}

# Node pools have no version of their own: DigitalOcean upgrades them after the control
# plane. There is no cluster_id, because the provider replaces the cluster if its version
# goes down. The plan has to fail instead.
resource "versionskew_validation" "shop" {
  policy                = data.versionskew_policy.doks.json
  control_plane_version = digitalocean_kubernetes_cluster.shop.version
  available_versions    = data.digitalocean_kubernetes_versions.offered.valid_versions

  depends_on = [digitalocean_kubernetes_cluster.shop]
}
