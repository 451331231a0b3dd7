variable "domain" {
  description = "Domain of the machines."
  type        = string
}

variable "user" {
  description = "User on the machines."
  type        = string
  default     = "admin"
}

variable "control_plane" {
  description = "Kubernetes version of every control-plane machine, by its name."
  type        = map(string)

  validation {
    condition     = alltrue([for version in values(var.control_plane) : can(regex("^v?1\\.[0-9]{2}\\.[0-9]+$", version))])
    error_message = "Write whole versions, such as \"1.36.4\"."
  }
}

variable "workers" {
  description = "Kubernetes version of every worker, by its name."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for version in values(var.workers) : can(regex("^v?1\\.[0-9]{2}\\.[0-9]+$", version))])
    error_message = "Write whole versions, such as \"1.36.4\"."
  }
}
