terraform {
  required_providers {
    versionskew = {
      source = "versionskew/versionskew"
    }
  }
}

variable "control_plane_version" {
  type    = string
  default = "1.36.4"
}

variable "gpu_version" {
  type    = string
  default = "1.35.9"
}

variable "cert_manager_version" {
  type    = string
  default = "1.21.0"
}

variable "cluster_autoscaler_image_tag" {
  type    = string
  default = "v1.36.0"
}

variable "vpc_cni_addon_version" {
  type    = string
  default = "v1.22.4-eksbuild.3"
}

variable "available_versions" {
  type    = list(string)
  default = ["1.34.8", "1.35.9", "1.36.4", "1.37.2"]
}

variable "as_of" {
  description = "Date to check for. Defaults to today."
  type        = string
  default     = null
}

locals {
  node_pools = {
    general = { kubelet = var.control_plane_version }
    gpu     = { kubelet = var.gpu_version }
  }
}
