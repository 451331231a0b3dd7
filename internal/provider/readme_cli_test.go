package provider_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestReadme: the first thing that the README shows is what happens.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(readme)
		if m == nil {
			t.Fatalf("the README has no block of %s", language)
		}
		return string(m[1])
	}
	// The harness names the file otherwise, and puts lines before the block.
	message := regexp.MustCompile(`main\.tf line 7,|7:`).ReplaceAllString(block("text"), "...")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers,
		Steps:                    []resource.TestStep{{Config: block("hcl"), PlanOnly: true, ExpectError: acctest.Says(message)}},
	})
}
