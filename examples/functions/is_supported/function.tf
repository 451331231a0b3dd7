variable "node_version" {
  type    = string
  default = "1.35.10"

  validation {
    condition     = provider::versionskew::is_supported("kubelet", var.node_version, ["1.37.2"])
    error_message = "Nodes at this version are not supported with Kubernetes 1.37."
  }
}

output "node_version" {
  value = var.node_version
}
