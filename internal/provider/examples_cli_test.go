package provider_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestExamples applies every example as it stands.
func TestExamples(t *testing.T) {
	var directories []string
	err := filepath.WalkDir("../../examples", func(path string, _ fs.DirEntry, err error) error {
		if directory := filepath.Dir(path); err == nil && filepath.Ext(path) == ".tf" && !slices.Contains(directories, directory) {
			directories = append(directories, directory)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(directories) == 0 {
		t.Fatal("no examples found")
	}
	for _, directory := range directories {
		t.Run(filepath.Base(directory), func(t *testing.T) {
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Providers,
				Steps:                    []resource.TestStep{{ConfigDirectory: config.StaticDirectory(directory)}},
			})
		})
	}
}
