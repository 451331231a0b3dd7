output "skew" {
  value = provider::versionskew::minor_skew("1.35.10", "1.37.2")
}
