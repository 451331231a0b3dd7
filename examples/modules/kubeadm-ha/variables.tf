variable "cluster_name" {
  description = "Name of the cluster."
  type        = string
}

variable "control_plane" {
  description = "Control-plane instances by name: `version` is that of the API server, the controller manager and the scheduler, which kubeadm upgrades together; `kubelet` is the same if it is left out."
  type = map(object({
    version = string
    kubelet = optional(string)
  }))

  validation {
    condition = alltrue(flatten([
      for instance in values(var.control_plane) : [
        can(provider::versionskew::version_parse(instance.version)),
        instance.kubelet == null || can(provider::versionskew::version_parse(instance.kubelet)),
      ]
    ]))
    error_message = "A version is one such as \"1.36.4\"."
  }
}

variable "apiserver_endpoint" {
  description = "`local` if the components of an instance talk to the API server of that instance, as kubeadm sets them up (its kubelet with ControlPlaneKubeletLocalMode). `shared` if a load balancer is in between."
  type        = string
  default     = "local"

  validation {
    condition     = contains(["local", "shared"], var.apiserver_endpoint)
    error_message = "Use \"local\" or \"shared\"."
  }
}

variable "node_pools" {
  description = "Worker pools by name, with the version of their kubelets."
  type = map(object({
    kubelet = string
    count   = optional(number, 1)
  }))
  default = {}

  validation {
    condition     = alltrue([for pool in values(var.node_pools) : can(provider::versionskew::version_parse(pool.kubelet))])
    error_message = "The version of a kubelet is one such as \"1.36.4\"."
  }
}

variable "kube_proxy_version" {
  description = "Version of kube-proxy, which a DaemonSet runs on every node."
  type        = string
}

variable "kubeadm_version" {
  description = "Version of the kubeadm that installs and upgrades the nodes."
  type        = string
}

variable "kubectl_versions" {
  description = "Versions of kubectl in use, such as those of administrators and pipelines."
  type        = list(string)
  default     = []
}

variable "running" {
  description = "What runs now, in the shape of the provider, such as read from `kubectl get nodes`. Without it, the versions of the last apply count."
  type = object({
    control_plane = map(object({
      version    = string
      kubelet    = optional(string)
      kube_proxy = optional(string)
    }))
    apiserver_endpoint = optional(string, "local")
    node_pools = optional(map(object({
      kubelet    = optional(string)
      kube_proxy = optional(string)
    })), {})
    components = optional(map(list(string)), {})
    kubectl    = optional(list(string), [])
  })
  default = null
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

variable "as_of" {
  description = "Day to judge ends of life and waivers for; today, if it is left out. Tests set it."
  type        = string
  default     = null
}
