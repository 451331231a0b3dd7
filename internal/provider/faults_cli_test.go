package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// newModule is a module of one file.
func newModule(t *testing.T, text string) *acctest.Module {
	t.Helper()
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return acctest.NewModule(t, directory)
}
