# The API servers have different minor versions during an upgrade.
output "kubelet_versions" {
  value = provider::versionskew::supported_versions("kubelet", ["1.36.6", "1.37.2"])
}
