variable "rke2_version" {
  type    = string
  default = "v1.34.2+rke2r1"
}

resource "rancher2_cluster_v2" "shop" {
  name               = "shop"
  kubernetes_version = var.rke2_version

  rke_config {
    machine_pools {
      name               = "general"
      quantity           = 3
      control_plane_role = true
      etcd_role          = true
      worker_role        = true

      machine_config {
        kind = "Amazonec2Config"
        name = "shop"
      }
    }
  }
}

# Rancher upgrades all machines to this version, first the control plane. With a K3s
# version such as v1.34.2+k3s1, use the policy k3s.
resource "versionskew_validation" "rancher" {
  policy                = "rke2"
  control_plane_version = rancher2_cluster_v2.shop.kubernetes_version

  depends_on = [rancher2_cluster_v2.shop]
}
