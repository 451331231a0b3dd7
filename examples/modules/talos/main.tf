# A Talos cluster on Hetzner Cloud. A machine boots with its configuration and ignores
# later changes, so a new version only applies to new machines. talosctl upgrade-k8s
# upgrades the others.

resource "talos_machine_secrets" "this" {}

data "talos_machine_configuration" "this" {
  for_each = toset(["controlplane", "worker"])

  cluster_name       = var.cluster_name
  cluster_endpoint   = "https://${var.cluster_name}.example.com:6443"
  machine_type       = each.key
  machine_secrets    = talos_machine_secrets.this.machine_secrets
  kubernetes_version = var.kubernetes_version
}

resource "hcloud_server" "control_plane" {
  for_each = var.control_plane

  name        = each.key
  server_type = var.server_type
  image       = var.image
  user_data   = data.talos_machine_configuration.this["controlplane"].machine_configuration
  labels      = { cluster = var.cluster_name, role = "control-plane" }

  lifecycle {
    ignore_changes = [user_data, image]
  }
}

resource "hcloud_server" "worker" {
  for_each = var.workers

  name        = each.key
  server_type = var.server_type
  image       = var.image
  user_data   = data.talos_machine_configuration.this["worker"].machine_configuration
  labels      = { cluster = var.cluster_name, role = "worker" }

  lifecycle {
    ignore_changes = [user_data, image]
  }
}
