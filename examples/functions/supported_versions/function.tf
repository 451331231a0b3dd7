# During an upgrade, the API servers have different minor versions.
output "kubelet_versions" {
  value = provider::versionskew::supported_versions("kubelet", ["1.36.6", "1.37.2"])
}
