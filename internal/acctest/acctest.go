// SPDX-License-Identifier: MPL-2.0

// Package acctest runs acceptance tests with a real CLI, Terraform or OpenTofu. Tests
// that need a CLI are skipped unless TF_ACC is set. They use the CLI that
// TF_ACC_TERRAFORM_PATH names, or else the terraform on PATH.
//
// The modules in examples use providers of clouds, which tests can neither download nor
// connect to a cloud. Three packages below this one make it possible to test them:
//
//   - platform simulates EKS, AKS, GKE, Talos and kubeadm. It records the versions that
//     run, and rejects the same operations as the real platform, with its error message.
//   - standin implements the Terraform providers of these platforms on that simulation,
//     so that the example modules can be planned and applied unchanged.
//   - walk changes the versions of an example module at random, over and over. After
//     each plan it checks that the provider's result agrees with what the simulated
//     platform then does. TestWalks takes a short walk in every test run, and make walks
//     takes long ones.
//
// The package fleet generates random clusters, and predicts by simple arithmetic which
// changes to them the provider must reject.
package acctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// Providers contains a server of the provider under test.
var Providers = map[string]func() (tfprotov6.ProviderServer, error){
	"versionskew": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
}

// Main runs the tests of a package and exits. Call it from TestMain. It configures
// terraform-plugin-testing for the CLI: with the namespace of the provider, so that
// examples run unchanged, and with the registry host of OpenTofu.
func Main(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if os.Getenv("TF_ACC") == "" {
		return m.Run(), nil
	}
	product, err := Product()
	if err != nil {
		return 0, err
	}
	if err := os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "versionskew"); err != nil {
		return 0, err
	}
	if product == "OpenTofu" {
		if err := os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org"); err != nil {
			return 0, err
		}
	}
	if scratch, err = os.MkdirTemp("", "versionskew"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	return m.Run(), nil
}

// Product returns the product name of the CLI under test, Terraform or OpenTofu.
func Product() (string, error) {
	out, err := exec.Command(cli(), "version").Output()
	if err != nil {
		return "", fmt.Errorf("running %s version: %w", cli(), err)
	}
	for _, product := range []string{"Terraform", "OpenTofu"} {
		if regexp.MustCompile(`(?m)^` + product + ` v[0-9]`).Match(out) {
			return product, nil
		}
	}
	return "", fmt.Errorf("%s is neither Terraform nor OpenTofu: %s", cli(), out)
}

// CLI returns the path of the CLI under test. It skips the test unless TF_ACC is set.
func CLI(t *testing.T) string {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("tests that need a CLI run only if TF_ACC is set")
	}
	binary, err := exec.LookPath(cli())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// cli returns the path or name of the CLI under test.
func cli() string {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	return "terraform"
}

// OutputPattern returns a pattern for CLI output that contains the text, however the CLI wraps
// its lines. "..." in the text matches any output, including none.
func OutputPattern(text string) *regexp.Regexp {
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
