// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestMain runs the tests. If TF_PLUGIN_MAGIC_COOKIE is set, as it is when a CLI starts
// a provider, it serves the provider instead.
func TestMain(m *testing.M) {
	if os.Getenv("TF_PLUGIN_MAGIC_COOKIE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestManifest checks that the registry manifest names the protocol version that the
// provider serves.
func TestManifest(t *testing.T) {
	var manifest struct {
		Version  int
		Metadata struct {
			Protocols []string `json:"protocol_versions"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, "terraform-registry-manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != 1 || !slices.Equal(manifest.Metadata.Protocols, []string{"6.0"}) {
		t.Errorf("unexpected manifest %+v", manifest)
	}

	served := exec.CommandContext(t.Context(), os.Args[0])
	served.Env = append(os.Environ(),
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		"PLUGIN_PROTOCOL_VERSIONS=5,6",
		"PLUGIN_UNIX_SOCKET_DIR="+t.TempDir())
	out, err := served.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := served.Start(); err != nil {
		t.Fatal(err)
	}
	// The handshake begins with core protocol, protocol, network and address.
	line, err := bufio.NewReader(out).ReadString('\n')
	if err := served.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = served.Wait() // always fails: the process was killed
	if handshake := strings.Split(line, "|"); err != nil || len(handshake) < 2 || handshake[1]+".0" != manifest.Metadata.Protocols[0] {
		t.Errorf("the provider serves %q (%v), but the manifest names %v", line, err, manifest.Metadata.Protocols)
	}
}

// TestReleaseNames checks the file names of a release against those that a registry
// requires: https://developer.hashicorp.com/terraform/registry/providers/publishing.
func TestReleaseNames(t *testing.T) {
	type extra struct {
		Glob string
		Name string `json:"name_template"`
	}
	var config struct {
		Project string `json:"project_name"`
		Builds  []struct {
			Binary string
			OS     []string `json:"goos"`
			Arch   []string `json:"goarch"`
			Ignore []struct{ GoOS, GoArch string }
		}
		Archives []struct {
			Formats []string
			Name    string `json:"name_template"`
			Files   []struct{ Src, Dst string }
		}
		Checksum struct {
			Name  string  `json:"name_template"`
			Files []extra `json:"extra_files"`
		}
		Release struct {
			Files []extra `json:"extra_files"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yml")), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Builds) != 1 || len(config.Archives) != 1 {
		t.Fatalf("want one build and one archive, got %+v", config)
	}
	build, archive := config.Builds[0], config.Archives[0]

	if module := find(t, "go.mod", `(?m)^module (.+)$`); config.Project != path.Base(module) {
		t.Errorf("the project is called %s, but the module %s", config.Project, module)
	}
	manifest := []extra{{"terraform-registry-manifest.json", "{{ .ProjectName }}_{{ .Version }}_manifest.json"}}
	for got, want := range map[string]string{
		build.Binary:         "{{ .ProjectName }}_v{{ .Version }}",
		archive.Name:         "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}",
		config.Checksum.Name: "{{ .ProjectName }}_{{ .Version }}_SHA256SUMS",
	} {
		if got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
	if !slices.Equal(archive.Formats, []string{"zip"}) {
		t.Errorf("archive formats %v, want zip", archive.Formats)
	}
	if !slices.Equal(config.Checksum.Files, manifest) || !slices.Equal(config.Release.Files, manifest) {
		t.Errorf("the checksums or the release do not include the manifest: %+v", config)
	}

	var files []string
	for _, file := range archive.Files {
		files = append(files, cmp.Or(file.Dst, file.Src))
	}
	slices.Sort(files)
	if want := []string{"CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_NOTICES"}; !slices.Equal(files, want) {
		t.Errorf("the archives contain %v, want %v", files, want)
	}

	platforms := map[string]bool{}
	for _, system := range build.OS {
		for _, arch := range build.Arch {
			platforms[system+"_"+arch] = true
		}
	}
	for _, ignored := range build.Ignore {
		delete(platforms, ignored.GoOS+"_"+ignored.GoArch)
	}
	want := []string{
		"darwin_amd64", "darwin_arm64",
		"freebsd_386", "freebsd_amd64", "freebsd_arm", "freebsd_arm64",
		"linux_386", "linux_amd64", "linux_arm", "linux_arm64",
		"windows_386", "windows_amd64", "windows_arm64",
	}
	if got := slices.Sorted(maps.Keys(platforms)); !slices.Equal(got, want) {
		t.Errorf("platforms %v, want %v", got, want)
	}
}

// TestReleaseIsPublishedLast checks that a release stays a draft until its attestation is
// attached to it, and that nothing is built before the tag has been checked.
func TestReleaseIsPublishedLast(t *testing.T) {
	var config struct {
		Release struct {
			Draft   bool
			Replace bool `json:"replace_existing_draft"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yml")), &config); err != nil {
		t.Fatal(err)
	}
	if !config.Release.Draft || !config.Release.Replace {
		t.Error("goreleaser does not create a draft, or does not replace the draft of a failed run")
	}

	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Uses, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/release.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	var steps strings.Builder
	for _, step := range workflow.Jobs["release"].Steps {
		steps.WriteString(step.Uses + "\n" + step.Run + "\n")
	}
	from := 0
	for _, step := range []string{"tools/check-tag.sh", "make release\n", "actions/attest@", "gh release upload", "gh release edit"} {
		at := strings.Index(steps.String(), step)
		if at < from {
			t.Errorf("the step %q is missing or too early in:\n%s", step, steps.String())
		}
		from = at
	}
	if strings.Count(steps.String(), "--draft=false") != 1 {
		t.Error("the workflow does not publish the draft, or publishes it twice")
	}
}

// TestActionsArePinned checks that workflows refer to actions by commit, because a tag
// can be moved. The version in the comment is for readers and for Dependabot.
func TestActionsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^([\w./-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	pins := map[string]string{}
	for _, workflow := range workflows(t) {
		for _, m := range regexp.MustCompile(`(?m)\buses: *(.*)$`).FindAllStringSubmatch(read(t, workflow), -1) {
			if strings.HasPrefix(m[1], "./") {
				continue
			}
			pin := pinned.FindStringSubmatch(m[1])
			if pin == nil {
				t.Errorf("%s does not pin %s to a commit", workflow, m[1])
				continue
			}
			if other, ok := pins[pin[1]]; ok && other != pin[0] {
				t.Errorf("%s uses %s, but another workflow uses %s", workflow, pin[0], other)
			}
			pins[pin[1]] = pin[0]
		}
	}
}

// TestDependabot checks that Dependabot updates all modules and actions.
func TestDependabot(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string `json:"package-ecosystem"`
			Directory   string
			Directories []string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/dependabot.yml")), &config); err != nil {
		t.Fatal(err)
	}
	updated := map[string][]string{}
	for _, update := range config.Updates {
		updated[update.Ecosystem] = append(updated[update.Ecosystem], update.Directories...)
		if update.Directory != "" {
			updated[update.Ecosystem] = append(updated[update.Ecosystem], update.Directory)
		}
	}
	var want []string
	for _, module := range modules(t) {
		want = append(want, path.Join("/", path.Dir(module)))
	}
	slices.Sort(want)
	slices.Sort(updated["gomod"])
	if !slices.Equal(updated["gomod"], want) {
		t.Errorf("Dependabot updates the modules %v, want %v", updated["gomod"], want)
	}
	if !slices.Equal(updated["github-actions"], []string{"/"}) {
		t.Errorf("Dependabot updates the actions in %v, want /", updated["github-actions"])
	}
}
