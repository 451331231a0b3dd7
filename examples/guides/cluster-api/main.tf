# A workload cluster, declared in a management cluster that runs Cluster API: a
# KubeadmControlPlane and MachineDeployments.

terraform {
  required_providers {
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 3.2, < 4.0"
    }
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane_version" {
  type    = string
  default = "v1.35.5"
}

variable "machine_deployment_versions" {
  type = map(string)
  default = {
    general = "v1.35.5"
    gpu     = "v1.34.7"
  }
}

variable "cluster_api_version" {
  description = "Version of Cluster API in the management cluster."
  type        = string
  default     = "v1.12.3"
}

locals {
  namespace = "clusters"
  machine = {
    apiGroup = "infrastructure.cluster.x-k8s.io"
    kind     = "DockerMachineTemplate"
  }
}

resource "kubernetes_manifest" "control_plane" {
  manifest = {
    apiVersion = "controlplane.cluster.x-k8s.io/v1beta2"
    kind       = "KubeadmControlPlane"
    metadata = {
      name      = "production"
      namespace = local.namespace
    }
    spec = {
      replicas = 3
      version  = var.control_plane_version
      machineTemplate = {
        spec = {
          infrastructureRef = merge(local.machine, { name = "production-control-plane" })
        }
      }
      kubeadmConfigSpec = {}
    }
  }

  # Waits until the control plane runs the new version.
  wait {
    fields = {
      "status.version" = var.control_plane_version
    }
  }
}

resource "kubernetes_manifest" "machine_deployment" {
  for_each = var.machine_deployment_versions

  manifest = {
    apiVersion = "cluster.x-k8s.io/v1beta2"
    kind       = "MachineDeployment"
    metadata = {
      name      = "production-${each.key}"
      namespace = local.namespace
    }
    spec = {
      clusterName = "production"
      replicas    = 3
      selector    = { matchLabels = { pool = each.key } }
      template = {
        metadata = { labels = { pool = each.key } }
        spec = {
          clusterName = "production"
          version     = each.value
          bootstrap = {
            configRef = {
              apiGroup = "bootstrap.cluster.x-k8s.io"
              kind     = "KubeadmConfigTemplate"
              name     = "production-${each.key}"
            }
          }
          infrastructureRef = merge(local.machine, { name = "production-${each.key}" })
        }
      }
    }
  }

  depends_on = [kubernetes_manifest.control_plane]
}
