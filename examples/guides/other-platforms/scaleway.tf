variable "kapsule_version" {
  type    = string
  default = "1.34.2"
}

variable "kapsule_pool_versions" {
  type    = map(string)
  default = { general = "1.34.2", gpu = "1.33.6" }
}

resource "scaleway_k8s_cluster" "shop" {
  name                        = "shop"
  version                     = var.kapsule_version
  cni                         = "cilium"
  delete_additional_resources = false

  # By default, Scaleway upgrades the pools together with the cluster and ignores their
  # version.
  upgrade_pools = false
}

resource "scaleway_k8s_pool" "shop" {
  for_each = var.kapsule_pool_versions

  cluster_id = scaleway_k8s_cluster.shop.id
  name       = each.key
  node_type  = "PRO2-S"
  size       = 3
  version    = each.value
}

# If upgrade_pools is true, declare the version of the cluster for each pool.
resource "versionskew_validation" "scaleway" {
  policy                = "scaleway-kapsule"
  control_plane_version = scaleway_k8s_cluster.shop.version
  node_pools            = { for name, pool in scaleway_k8s_pool.shop : name => { kubelet = pool.version } }

  depends_on = [scaleway_k8s_cluster.shop, scaleway_k8s_pool.shop]
}
