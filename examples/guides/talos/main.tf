# The module as it is: Talos and Kubernetes have a version each.

terraform {
  required_providers {
    talos = {
      source = "siderolabs/talos"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "talos_version" {
  description = "Version of Talos Linux on the machines"
  type        = string
  default     = "v1.12.4"
}

variable "kubernetes_version" {
  type    = string
  default = "v1.35.5"
}

locals {
  control_plane = ["10.5.0.2", "10.5.0.3", "10.5.0.4"]
  workers       = ["10.5.0.10", "10.5.0.11"]
  roles = merge(
    { for node in local.control_plane : node => "controlplane" },
    { for node in local.workers : node => "worker" },
  )
}

resource "talos_machine_secrets" "main" {}

data "talos_machine_configuration" "main" {
  for_each = toset(values(local.roles))

  cluster_name       = "production"
  cluster_endpoint   = "https://10.5.0.2:6443"
  machine_type       = each.key
  machine_secrets    = talos_machine_secrets.main.machine_secrets
  kubernetes_version = var.kubernetes_version
}

resource "talos_machine" "main" {
  for_each = local.roles

  node                  = each.key
  client_configuration  = talos_machine_secrets.main.client_configuration
  machine_configuration = data.talos_machine_configuration.main[each.value].machine_configuration
  image                 = "ghcr.io/siderolabs/installer:${var.talos_version}"
  drain_on_upgrade      = false

  # Kubernetes is upgraded by talos_cluster, component by component.
  ignore_kubernetes_upgrade_drift = true
}

resource "talos_cluster" "main" {
  node                 = local.control_plane[0]
  control_plane_nodes  = local.control_plane
  client_configuration = talos_machine_secrets.main.client_configuration
  kubernetes_version   = var.kubernetes_version

  depends_on = [talos_machine.main]
}
