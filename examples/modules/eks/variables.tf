variable "name" {
  description = "Name of the cluster."
  type        = string
}

variable "kubernetes_version" {
  description = "Minor of the control plane, such as `1.36`."
  type        = string

  validation {
    condition     = try(provider::versionskew::version_parse(var.kubernetes_version).patch == null, false)
    error_message = "EKS takes a minor such as \"1.36\" for its control plane, and picks the patch."
  }

  validation {
    condition     = try(provider::versionskew::version_parse(var.kubernetes_version).minor >= 10, true)
    error_message = "Kubernetes ${var.kubernetes_version} is older than this platform. Put the version in quotes: the number 1.30 is 1.3."
  }
}

variable "eks_managed_node_groups" {
  description = "Managed node groups by name. Each is at `ami_release_version`, else at `kubernetes_version`, else at the minor of the control plane."
  type = map(object({
    kubernetes_version  = optional(string)
    ami_release_version = optional(string)
    ami_type            = optional(string, "AL2023_x86_64_STANDARD")
    instance_types      = optional(list(string), ["m7i.large"])
    min_size            = optional(number, 1)
    max_size            = optional(number, 3)
    desired_size        = optional(number, 1)
  }))
  default = {}

  validation {
    condition = alltrue([
      for group in values(var.eks_managed_node_groups) :
      can(provider::versionskew::version_parse(group.ami_release_version))
      if group.ami_release_version != null
    ])
    error_message = "An AMI release is named as \"1.36.1-20260610\"."
  }
}

variable "addons" {
  description = "Add-ons by name. The one whose version counts is `kube-proxy`; without a version it follows the control plane."
  type = map(object({
    addon_version = optional(string)
  }))
  default = {
    kube-proxy = {}
  }
}

variable "kubectl_versions" {
  description = "Versions of kubectl in use, such as those of administrators and pipelines."
  type        = list(string)
  default     = []
}

variable "upgrade_target" {
  description = "Minor that an upgrade is to be planned to. Nothing moves: it fills the output `upgrade_plan`."
  type        = string
  default     = null
}

variable "waivers" {
  description = "Findings that are accepted: where, why and until when."
  type = map(object({
    rule      = string
    reason    = string
    locations = optional(list(string))
    expires   = optional(string)
  }))
  default = {}
}

variable "enforcement_level" {
  description = "`mandatory` refuses a plan that breaks the policy, `advisory` only warns of it."
  type        = string
  default     = "mandatory"

  validation {
    condition     = contains(["mandatory", "advisory"], var.enforcement_level)
    error_message = "Use \"mandatory\" or \"advisory\"."
  }
}
