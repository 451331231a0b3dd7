// SPDX-License-Identifier: MPL-2.0

// Package acctest runs tests on a real CLI, Terraform or OpenTofu. Such tests
// run only when TF_ACC is set, on the CLI that TF_ACC_TERRAFORM_PATH names or
// on the terraform on PATH.
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

// Providers serves the provider under test.
var Providers = map[string]func() (tfprotov6.ProviderServer, error){
	"versionskew": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
}

// Main is for TestMain. It sets what the test harness needs to know of the CLI:
// the namespace lets examples run as they stand, and OpenTofu has a registry
// of its own.
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

// Product asks the CLI under test for its name, Terraform or OpenTofu.
func Product() (string, error) {
	out, err := exec.Command(cli(), "version").Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", cli(), err)
	}
	for _, product := range []string{"Terraform", "OpenTofu"} {
		if regexp.MustCompile(`(?m)^` + product + ` v[0-9]`).Match(out) {
			return product, nil
		}
	}
	return "", fmt.Errorf("%s is neither Terraform nor OpenTofu: %s", cli(), out)
}

// cli is the CLI under test.
func cli() string {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	return "terraform"
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
