module github.com/versionskew/terraform-provider-versionskew

go 1.25.8

require (
	github.com/google/go-cmp v0.7.0
	github.com/hashicorp/go-version v1.9.0
	pgregory.net/rapid v1.3.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect
