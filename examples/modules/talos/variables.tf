variable "cluster_name" {
  description = "Name of the cluster."
  type        = string
}

variable "kubernetes_version" {
  description = "Kubernetes version of new machines, such as `1.36.1`. Existing machines keep theirs."
  type        = string

  validation {
    condition     = can(regex("^1\\.[0-9]{2}\\.[0-9]+$", var.kubernetes_version))
    error_message = "Write a full version, such as \"1.36.1\"."
  }
}

variable "control_plane" {
  description = "Names of the control-plane machines."
  type        = set(string)
}

variable "workers" {
  description = "Names of the workers."
  type        = set(string)
  default     = []
}

variable "server_type" {
  description = "Hetzner Cloud server type of the machines."
  type        = string
  default     = "cax21"
}

variable "image" {
  description = "ID of the Talos image."
  type        = string
  default     = "187654321"
}
