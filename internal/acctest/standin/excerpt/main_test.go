// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// TestUpdate makes excerpts of the stand-ins, which serve the excerpts of the real
// providers. The result must be the same.
func TestUpdate(t *testing.T) {
	excerpts := standin.Excerpts()
	var required strings.Builder
	var types []string
	selected := map[string]string{}
	output := t.TempDir()
	for address, e := range excerpts {
		version := standin.Version(address)
		fmt.Fprintf(&required, "    %s = {\n      source  = %q\n      version = %q\n    }\n", path.Base(address), address, version)
		for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			selected[host+"/"+address] = version
		}
		for name := range e.Resources {
			types = append(types, name)
		}
		for name := range e.DataSources {
			types = append(types, "data."+name)
		}
	}
	directory := t.TempDir()
	err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte("terraform {\n  required_providers {\n"+required.String()+"  }\n}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	module := acctest.NewModule(t, directory)
	run := func(arguments ...string) ([]byte, error) {
		if arguments[0] == "version" { // the CLI does not know the versions of providers in this process
			return json.Marshal(map[string]any{"provider_selections": selected})
		}
		return module.Command(arguments...).Output()
	}
	compare := func() {
		t.Helper()
		for address, want := range excerpts {
			got, err := read(filepath.Join(output, path.Base(address)+".json"))
			if err != nil {
				t.Fatal(err)
			}
			want.Version = standin.Version(address)
			got.Configuration, want.Configuration = nil, nil
			if diff := cmp.Diff(asWritten(t, want), asWritten(t, got)); diff != "" {
				t.Errorf("%s: %s", address, diff)
			}
		}
	}
	if err := update(run, output, types); err != nil {
		t.Fatal(err)
	}
	compare()
	if err := update(run, output, nil); err != nil { // updates the types in the files
		t.Fatal(err)
	}
	compare()
	if err := update(run, output, []string{"aws_eks_clutser"}); err == nil || !strings.Contains(err.Error(), "no provider has aws_eks_clutser") {
		t.Errorf("an unknown type is accepted: %v", err)
	}
}

// asWritten returns an excerpt as it is written to a file.
func asWritten(t *testing.T, e standin.Excerpt) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "excerpt.json")
	if err := write(file, e); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
