# state.json is a state that was written by a provider with schema version 1,
# which kept as_of in state.
terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
provider "versionskew" {
  policy            = "eks"
  enforcement_level = "mandatory"
}
resource "versionskew_validation" "all" {
  control_plane = {
    a = { version = "1.34.2", kubelet = "1.33.1", kube_proxy = "1.33.1", kube_apiserver = "1.34.2", kube_controller_manager = "1.34.2", kube_scheduler = "1.34.2", cloud_controller_manager = "1.34.2" }
    b = { version = "1.34.2", emulated_version = "1.33" }
  }
  apiserver_endpoint = "shared"
  node_pools         = { gpu = { kubelet = "1.33.1-eks-1", kube_proxy = "1.33.1" }, old = { kubelet = "1.30" } }
  kube_proxy         = "1.33.0"
  kubectl            = ["1.34", "1.33"]
  components         = { istiod = ["1.28.0", "1.27.1"] }
  admission_webhooks = { w = { match_policy = "Equivalent" } }
  apply_order        = "any"
  policy             = "kubernetes"
  enforcement_level  = "advisory"
  cluster_id         = "arn:x"
  as_of              = "2026-11-20"
  waivers            = { w = { rule = "kubelet-apiserver", locations = ["node_pools[\"old\"]"], reason = "because", expires = "2027-01-31" } }
}
resource "versionskew_validation" "managed" {
  control_plane_version = "1.34"
  emulated_version      = "1.33"
  node_pools            = { a = { kubelet = "1.33" } }
}
data "versionskew_policy" "ours" {
  extends    = "eks"
  include    = ["addons/karpenter"]
  skew_rules = { kubelet-apiserver = { max_older = 2 } }
}
resource "versionskew_validation" "custom" {
  control_plane_version = "1.34"
  policy                = data.versionskew_policy.ours.json
}
