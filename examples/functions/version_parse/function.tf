output "version" {
  value = provider::versionskew::version_parse("v1.31.2-eks-7f9249a")
}
