// SPDX-License-Identifier: MPL-2.0

// Command notices prints the license of each module that a released binary contains, on
// any platform, and of Go itself:
//
//	notices > THIRD_PARTY_NOTICES
//
// It fails if a module has no license, or one that the provider must not be distributed
// with. Run it in the root of the repository. It works offline if the modules are in the
// module cache.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"sigs.k8s.io/yaml"
)

// allowed lists the licenses, by SPDX identifier, that permit distribution under the
// MPL-2.0.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// minCoverage is the percentage of a license file that must be the text of licenses.
// The rest are names and years.
const minCoverage = 75

var (
	licenseFile = regexp.MustCompile(`^(?i:licen[cs]e|copying)`)
	noticeFile  = regexp.MustCompile(`^(?i:licen[cs]e|copying|notice|patents)`)
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	used, err := modules(".goreleaser.yml")
	if err != nil {
		return err
	}
	var problems []error
	for _, m := range used {
		if err := m.check(); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", m.name, err))
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	return write(out, used)
}

// module is a module in a released binary.
type module struct {
	name  string // path and version
	files map[string]string
}

// platform is one that releases are built for.
type platform struct{ GoOS, GoArch string }

// modules lists the modules of the binaries that the configuration of goreleaser
// builds, starting with Go.
func modules(config string) ([]module, error) {
	text, err := os.ReadFile(config)
	if err != nil {
		return nil, err
	}
	var release struct {
		Builds []struct {
			OS   []string `json:"goos"`
			Arch []string `json:"goarch"`
			Tags []string

			Ignore []platform
		}
	}
	if err := yaml.Unmarshal(text, &release); err != nil {
		return nil, fmt.Errorf("%s: %w", config, err)
	}
	files := map[string]map[string]string{}
	for _, build := range release.Builds {
		for _, system := range build.OS {
			for _, arch := range build.Arch {
				p := platform{system, arch}
				if slices.Contains(build.Ignore, p) {
					continue
				}
				if err := collect(files, p, build.Tags); err != nil {
					return nil, fmt.Errorf("%s/%s: %w", p.GoOS, p.GoArch, err)
				}
			}
		}
	}
	var all []module
	for name := range files {
		all = append(all, module{name, files[name]})
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// collect adds the license files of each package in a binary: those in its directory and
// the directories above it, up to the root of its module.
func collect(files map[string]map[string]string, on platform, tags []string) error {
	list := exec.Command("go", "list", "-deps", "-json=Dir,Goroot,Root,Module", "-tags", strings.Join(tags, ","), ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+on.GoOS, "GOARCH="+on.GoArch)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p struct {
			Dir, Root string
			Goroot    bool
			Module    *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := decoder.Decode(&p); err != nil {
			return err
		}
		// The license of Go covers all its packages. The one of BoringSSL only applies
		// with GOEXPERIMENT=boringcrypto.
		name, root, dir := "Go "+strings.TrimPrefix(runtime.Version(), "go"), p.Root, p.Root
		switch {
		case p.Module != nil && p.Module.Main:
			continue
		case p.Module != nil:
			name, root, dir = p.Module.Path+" "+p.Module.Version, p.Module.Dir, p.Dir
		case !p.Goroot:
			return fmt.Errorf("the package in %s has no module", p.Dir)
		}
		if files[name] == nil {
			files[name] = map[string]string{}
		}
		for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
			if err := read(files[name], root, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// read adds the license files of a directory, by their path in the module.
func read(files map[string]string, root, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !noticeFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)] = strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return nil
}

// check checks that the module has a license and that each of its licenses is allowed.
func (m module) check() error {
	licensed := false
	var problems []error
	for name, text := range m.files {
		if !licenseFile.MatchString(filepath.Base(name)) {
			continue
		}
		licensed = true
		scanned := licensecheck.Scan([]byte(text))
		if scanned.Percent < minCoverage {
			problems = append(problems, fmt.Errorf("%s contains text that is no known license: read it", name))
		}
		for _, match := range scanned.Match {
			if !match.IsURL && !slices.Contains(allowed, match.ID) {
				problems = append(problems, fmt.Errorf("the license %s in %s is not one of %s", match.ID, name, strings.Join(allowed, ", ")))
			}
		}
	}
	if !licensed {
		return errors.New("the module has no license file")
	}
	return errors.Join(problems...)
}

const rule = "\n================================================================================\n\n"

// write prints each text once, below the modules it belongs to.
func write(out io.Writer, used []module) error {
	var texts []string
	owners := map[string][]string{}
	for _, m := range used {
		for name, text := range m.files {
			if owners[text] == nil {
				texts = append(texts, text)
			}
			owners[text] = append(owners[text], m.name+", "+name)
		}
	}
	for _, of := range owners {
		slices.Sort(of)
	}
	slices.SortFunc(texts, func(a, b string) int { return strings.Compare(owners[a][0], owners[b][0]) })

	var page strings.Builder
	page.WriteString("terraform-provider-versionskew contains code from the Go standard library and from the\n" +
		"modules below. To get the source code of a module at its version, run:\n\n" +
		"    go mod download -json MODULE@VERSION\n")
	for _, text := range texts {
		page.WriteString(rule + strings.Join(owners[text], "\n") + "\n\n" + text + "\n")
	}
	_, err := io.WriteString(out, page.String())
	return err
}
