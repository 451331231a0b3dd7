// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// Module is a temporary copy of a module, initialized with this provider and isolated from
// the user's CLI configuration. Stand-ins for all other providers run in this process.
type Module struct {
	t           *testing.T
	directory   string
	scratch     string // a directory outside the module
	environment []string
	platform    *platform.Store
}

// NewModule copies the module in a directory and initializes the copy with the provider
// built from this source tree. It skips the test unless TF_ACC is set, or if the module
// requires a newer CLI.
func NewModule(t *testing.T, directory string) *Module {
	t.Helper()
	return NewModuleIn(t, directory, ".")
}

// NewModuleIn is like NewModule, but copies a whole tree, so that the module in directory
// can call other modules of the tree.
func NewModuleIn(t *testing.T, tree, directory string) *Module {
	t.Helper()
	config := filepath.Join(t.TempDir(), "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirrorDirectory(t))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return newModule(t, tree, directory, config, map[string]func() tfprotov6.ProviderServer{})
}

// NewAttachedModule is like NewModule, but this provider runs in this process, too, because
// starting it for each command takes much longer. It also returns the simulated platform,
// which only one command at a time may use.
func NewAttachedModule(t *testing.T, directory string) (*Module, *platform.World) {
	t.Helper()
	m := newModule(t, directory, ".", os.DevNull, map[string]func() tfprotov6.ProviderServer{"versionskew/versionskew": provider.NewServer("test")})
	return m, &m.platform.World
}

// newModule copies the tree and initializes the module in a directory of the copy.
// config is the file with the CLI configuration. servers are attached together with the
// stand-ins.
func newModule(t *testing.T, tree, directory, config string, servers map[string]func() tfprotov6.ProviderServer) *Module {
	t.Helper()
	CLI(t)
	work, store := t.TempDir(), &platform.Store{}
	for _, address := range standin.Addresses() {
		servers[address] = func() tfprotov6.ProviderServer { return standin.New(address, store) }
	}
	reattach, err := attach(t.Context(), servers)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(work, os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	m := &Module{t: t, directory: filepath.Join(work, directory), scratch: t.TempDir(), platform: store}
	m.environment = append(slices.Clip(environment), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+config, reattach)
	out, err := m.Run("init", "-input=false", "-no-color")
	if tooOld.MatchString(out) {
		t.Skipf("the module requires a newer version than that of %s", cli())
	}
	if err != nil {
		t.Fatalf("init: %s\n%s", err, out)
	}
	return m
}

// environment is the environment of the tests before attach turns off the logs of the SDK
// in this process.
var environment = os.Environ()

// mirrorDirectory returns the plugin mirror with this provider. It skips the test unless
// TF_ACC is set.
func mirrorDirectory(t *testing.T) string {
	t.Helper()
	CLI(t)
	mirror, err := pluginMirror()
	if err != nil {
		t.Fatal(err)
	}
	return mirror
}

// tooOld matches the error of a CLI whose version required_version excludes.
var tooOld = regexp.MustCompile(`Unsupported (?:Terraform|OpenTofu) Core version`)

// Path returns the path of a file in the module.
func (m *Module) Path(name string) string { return filepath.Join(m.directory, name) }

// Command prepares a run of the CLI in the module.
func (m *Module) Command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(m.t.Context(), cli(), arguments...)
	command.Dir = m.directory
	command.Env = m.environment
	return command
}

// Run runs the CLI in the module and returns its combined output.
func (m *Module) Run(arguments ...string) (string, error) {
	m.t.Helper()
	out, err := m.Command(arguments...).CombinedOutput()
	return string(out), err
}

// Set sets the variables of the module for all later commands.
func (m *Module) Set(variables map[string]any) {
	m.t.Helper()
	text, err := json.MarshalIndent(variables, "", "  ")
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.Path("terraform.tfvars.json"), text, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// Platform calls a function that inspects the simulated platform, or changes it outside
// Terraform.
func (m *Module) Platform(change func(*platform.World) error) {
	m.t.Helper()
	if err := m.platform.Do(change); err != nil {
		m.t.Fatal(err)
	}
}

// Shell runs a line of bash in the module, and returns its combined output without
// colors and frames, and with OpenTofu renamed to Terraform. In the line, terraform and
// tofu both run the CLI under test. Prompts get the answer yes, and the summary that a
// GitHub workflow writes is discarded.
func (m *Module) Shell(line string) (string, error) {
	m.t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		m.t.Skip("bash is not installed")
	}
	command := exec.CommandContext(m.t.Context(), "bash", "-eo", "pipefail", "-c", line)
	command.Dir = m.directory
	command.Env = append(m.environment, "PATH="+m.binDirectory()+string(os.PathListSeparator)+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+os.DevNull)
	command.Stdin = strings.NewReader("yes\n")
	out, err := command.CombinedOutput()
	return strings.ReplaceAll(decoration.ReplaceAllString(string(out), ""), "OpenTofu", "Terraform"), err
}

// decoration matches the colors and frames in CLI output.
var decoration = regexp.MustCompile(`\x1b\[[0-9;]*m|[│╷╵]`)

// binDirectory returns a directory that contains the CLI under test under the names
// terraform and tofu.
func (m *Module) binDirectory() string {
	m.t.Helper()
	directory := filepath.Join(m.scratch, "bin")
	if err := os.Mkdir(directory, 0o755); errors.Is(err, fs.ErrExist) {
		return directory
	}
	binary := CLI(m.t)
	for _, name := range []string{"terraform", "tofu"} {
		if err := os.Symlink(binary, filepath.Join(directory, name)); err != nil {
			m.t.Fatal(err)
		}
	}
	return directory
}

// MustRun is like Run, but fails the test on an error.
func (m *Module) MustRun(arguments ...string) string {
	m.t.Helper()
	out, err := m.Run(arguments...)
	if err != nil {
		m.t.Fatalf("%v: %s\n%s", arguments, err, out)
	}
	return out
}

const module = "github.com/versionskew/terraform-provider-versionskew"

// scratch is a directory that Main removes after the tests.
var scratch string

// testVersion is the version of the provider under test.
const testVersion = "0.0.1"

// pluginMirror builds the provider once, and returns a plugin mirror with it for both CLIs.
var pluginMirror = sync.OnceValues(func() (mirror string, err error) {
	if mirror, err = os.MkdirTemp(scratch, "mirror"); err != nil {
		return "", err
	}
	binary := filepath.Join(mirror, path.Base(module))
	build := exec.Command("go", "build", "-o", binary, module)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // like a release
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w: %s", err, out)
	}
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		place := filepath.Join(mirror, host, "versionskew/versionskew", testVersion, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(place, 0o755); err != nil {
			return "", err
		}
		if err := os.Link(binary, filepath.Join(place, Executable())); err != nil {
			return "", err
		}
	}
	return mirror, nil
})

// Demo prepares a run of tools/demo.sh with the CLI under test.
func Demo(t *testing.T) *exec.Cmd {
	t.Helper()
	mirror := mirrorDirectory(t)
	return exec.CommandContext(t.Context(), "../../tools/demo.sh", cli(), filepath.Join(mirror, path.Base(module)), testVersion)
}

// Executable returns the file name of the provider in the plugin mirror.
func Executable() string {
	name := "terraform-provider-versionskew_v" + testVersion
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}
