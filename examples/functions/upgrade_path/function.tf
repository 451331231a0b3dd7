output "path" {
  value = provider::versionskew::upgrade_path("1.33.11", "1.36")
}
