// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// TestProduct checks that the tests run on the CLI that the environment names.
func TestProduct(t *testing.T) {
	want := os.Getenv("VERSIONSKEW_TEST_PRODUCT")
	if want == "" {
		t.Skip("VERSIONSKEW_TEST_PRODUCT is not set")
	}
	got, err := acctest.Product()
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("the tests run on %s, want %s", got, want)
	}
}
