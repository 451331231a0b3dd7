variable "domain" {
  description = "DNS domain of the machines."
  type        = string
}

variable "user" {
  description = "SSH user on the machines."
  type        = string
  default     = "admin"
}

variable "control_plane" {
  description = "Kubernetes versions of the control-plane machines, keyed by name."
  type        = map(string)

  validation {
    condition     = alltrue([for version in values(var.control_plane) : can(regex("^v?1\\.[0-9]{2}\\.[0-9]+$", version))])
    error_message = "Write full versions, such as \"1.36.4\"."
  }
}

variable "workers" {
  description = "Kubernetes versions of the workers, keyed by name."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for version in values(var.workers) : can(regex("^v?1\\.[0-9]{2}\\.[0-9]+$", version))])
    error_message = "Write full versions, such as \"1.36.4\"."
  }
}
