// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"regexp"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// readmeBlock returns the first block of a language in the README.
func readmeBlock(t *testing.T, language string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(readme)
	if m == nil {
		t.Fatalf("the README has no %s block", language)
	}
	return string(m[1])
}

// TestDemo checks that the README shows the output of make demo.
func TestDemo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the demo is a shell script")
	}
	t.Parallel()
	out, err := acctest.Demo(t).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if shown := readmeBlock(t, "console"); !acctest.OutputPattern(shown).Match(out) {
		t.Errorf("the README shows\n%s\nbut the demo prints\n%s", shown, out)
	}
}

// TestReadme checks that the first example of the README fails with the error that it
// shows.
func TestReadme(t *testing.T) {
	// The harness uses another file name and adds lines above the configuration.
	message := regexp.MustCompile(`main\.tf line 13,|13:`).ReplaceAllString(readmeBlock(t, "text"), "...")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps:                    []resource.TestStep{{Config: readmeBlock(t, "hcl"), PlanOnly: true, ExpectError: acctest.OutputPattern(message)}},
	})
}
