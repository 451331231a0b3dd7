// Package acctest runs tests on a real CLI, Terraform or OpenTofu. Such tests
// run only when TF_ACC is set, on the CLI that TF_ACC_TERRAFORM_PATH names or
// on the terraform on PATH.
package acctest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// Providers serves the provider under test.
var Providers = map[string]func() (tfprotov6.ProviderServer, error){
	"versionskew": providerserver.NewProtocol6WithError(provider.New("test")()),
}

// Main is for TestMain. It sets what the test harness needs to know of the CLI:
// the namespace lets examples run as they stand, and OpenTofu has a registry
// of its own.
func Main(m *testing.M) {
	if os.Getenv("TF_ACC") != "" {
		product, err := Product()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		environment := map[string]string{"TF_ACC_PROVIDER_NAMESPACE": "versionskew"}
		if product == "OpenTofu" {
			environment["TF_ACC_PROVIDER_HOST"] = "registry.opentofu.org"
		}
		for name, value := range environment {
			if err := os.Setenv(name, value); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// Product asks the CLI under test for its name, Terraform or OpenTofu.
func Product() (string, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	out, err := exec.Command(path, "version").Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	for _, product := range []string{"Terraform", "OpenTofu"} {
		if regexp.MustCompile(`(?m)^` + product + ` v[0-9]`).Match(out) {
			return product, nil
		}
	}
	return "", fmt.Errorf("%s is neither Terraform nor OpenTofu: %s", path, out)
}

// Says matches a text wherever the CLI wraps its lines. "..." stands for
// anything in between.
func Says(text string) *regexp.Regexp {
	var parts []string
	for part := range strings.SplitSeq(text, "...") {
		var words []string
		for word := range strings.FieldsSeq(part) {
			words = append(words, regexp.QuoteMeta(word))
		}
		parts = append(parts, strings.Join(words, `\s+`))
	}
	return regexp.MustCompile(strings.Join(parts, `(?s:.*)`))
}
