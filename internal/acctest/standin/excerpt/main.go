// SPDX-License-Identifier: MPL-2.0

// Command excerpt updates the schemas that the stand-in providers serve. It reads them
// from the real providers, with the CLI, in a directory that terraform init has
// initialized:
//
//	go run ./internal/acctest/standin/excerpt -directory ~/cluster aws_eks_cluster data.aws_eks_clusters
//
// The arguments add resource types and data sources. Types that an excerpt already
// contains are updated if the directory uses their provider.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
)

func main() {
	directory := flag.String("directory", ".", "`directory` that is initialized with the real providers")
	output := flag.String("output", "internal/acctest/standin/schemas", "`directory` of the excerpts")
	cli := flag.String("cli", "terraform", "`path` of terraform or tofu")
	flag.Parse()
	run := func(arguments ...string) ([]byte, error) {
		command := exec.Command(*cli, arguments...)
		command.Dir, command.Stderr = *directory, os.Stderr
		return command.Output()
	}
	if err := update(run, *output, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// update writes an excerpt of each provider that the CLI lists to a directory. run runs
// the CLI and returns its output.
func update(run func(arguments ...string) ([]byte, error), output string, added []string) error {
	var printed struct {
		Providers map[string]struct {
			Configuration *standin.Schema           `json:"provider"`
			Resources     map[string]standin.Schema `json:"resource_schemas"`
			DataSources   map[string]standin.Schema `json:"data_source_schemas"`
		} `json:"provider_schemas"`
	}
	var version struct {
		Providers map[string]string `json:"provider_selections"`
	}
	schemas, err := run("providers", "schema", "-json")
	if err != nil {
		return err
	}
	selected, err := run("version", "-json")
	if err != nil {
		return err
	}
	if err := errors.Join(json.Unmarshal(schemas, &printed), json.Unmarshal(selected, &version)); err != nil {
		return err
	}
	missing := slices.Clone(added)
	for _, source := range slices.Sorted(maps.Keys(printed.Providers)) {
		_, address, _ := strings.Cut(source, "/") // without the host of the registry
		file := filepath.Join(output, path.Base(address)+".json")
		e, err := read(file)
		if err != nil {
			return err
		}
		p := printed.Providers[source]
		for _, name := range added {
			kept, all := &e.Resources, p.Resources
			typeName, isData := strings.CutPrefix(name, "data.")
			if isData {
				kept, all = &e.DataSources, p.DataSources
			}
			if _, ok := all[typeName]; !ok {
				continue
			}
			if *kept == nil {
				*kept = map[string]standin.Schema{}
			}
			(*kept)[typeName] = standin.Schema{}
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == name })
		}
		if len(e.Resources)+len(e.DataSources) == 0 {
			continue
		}
		e.Provider, e.Version, e.Configuration = address, version.Providers[source], p.Configuration
		if err := errors.Join(replace(address, e.Resources, p.Resources), replace(address, e.DataSources, p.DataSources)); err != nil {
			return err
		}
		if err := write(file, e); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no provider has %s", strings.Join(missing, ", "))
	}
	return nil
}

// read returns the excerpt in a file, or an empty one if the file does not exist.
func read(file string) (e standin.Excerpt, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal(text, &e)
}

// replace replaces the schemas of an excerpt by those of the provider.
func replace(address string, kept, all map[string]standin.Schema) error {
	for name := range kept {
		s, ok := all[name]
		if !ok {
			return fmt.Errorf("%s no longer has %s", address, name)
		}
		kept[name] = s
	}
	return nil
}

func write(file string, e standin.Excerpt) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(e); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}
