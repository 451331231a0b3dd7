// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
)

// Module is a copy of a module, initialized with the provider as it is built
// from this tree, and with nothing of the user's.
type Module struct {
	t         *testing.T
	directory string
	config    string
}

// NewModule copies a directory and initializes it. It skips the test unless
// TF_ACC is set.
func NewModule(t *testing.T, directory string) *Module {
	t.Helper()
	return NewModuleIn(t, directory, ".")
}

// mirrorFor is where a CLI finds the providers. It skips the test unless TF_ACC
// is set: only then is a CLI run.
func mirrorFor(t *testing.T) string {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("a CLI is run only if TF_ACC is set")
	}
	mirror, err := mirrored()
	if err != nil {
		t.Fatal(err)
	}
	return mirror
}

// NewModuleIn is NewModule for a directory in a tree, which it may call other
// modules of. It skips the test if the module asks for a newer CLI.
func NewModuleIn(t *testing.T, tree, directory string) *Module {
	t.Helper()
	mirror := mirrorFor(t)
	work := t.TempDir()
	m := &Module{t: t, directory: filepath.Join(work, directory), config: filepath.Join(t.TempDir(), "cli.tfrc")}
	config := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	if err := os.WriteFile(m.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(work, os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	out, err := m.Run("init", "-input=false", "-no-color")
	if tooOld.MatchString(out) {
		t.Skipf("%s is older than the module asks for", cli())
	}
	if err != nil {
		t.Fatalf("init: %s\n%s", err, out)
	}
	return m
}

// tooOld is what both CLIs say to a required_version that they are not.
var tooOld = regexp.MustCompile(`Unsupported (?:Terraform|OpenTofu) Core version`)

// Path is where a file of the module is.
func (m *Module) Path(name string) string { return filepath.Join(m.directory, name) }

// Command is the CLI in the module, before it runs.
func (m *Module) Command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(m.t.Context(), cli(), arguments...)
	command.Dir = m.directory
	command.Env = m.environment()
	return command
}

// Run runs the CLI in the module and returns all it prints.
func (m *Module) Run(arguments ...string) (string, error) {
	m.t.Helper()
	out, err := m.Command(arguments...).CombinedOutput()
	return string(out), err
}

// environment keeps what is the user's from a command.
func (m *Module) environment() []string {
	return append(os.Environ(), "TF_CLI_CONFIG_FILE="+m.config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1", standin.Environment+"="+string(m.platform()))
}

// platform is where the clouds of the module run: beside it, not in it.
func (m *Module) platform() platform.File {
	return platform.File(filepath.Join(filepath.Dir(m.config), "platform.json"))
}

// Platform lets a function look at what runs, or change it behind Terraform's
// back.
func (m *Module) Platform(change func(*platform.World) error) {
	m.t.Helper()
	if err := m.platform().Do(change); err != nil {
		m.t.Fatal(err)
	}
}

// Shell runs a line of shell in the module, in which terraform and tofu are both
// the CLI under test, and returns what it prints: without colours and frames, as
// if it were Terraform. It answers yes to every question. What a GitHub workflow
// puts on its page goes nowhere.
func (m *Module) Shell(line string) (string, error) {
	m.t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		m.t.Skip("there is no shell")
	}
	command := exec.CommandContext(m.t.Context(), "bash", "-eo", "pipefail", "-c", line)
	command.Dir = m.directory
	command.Env = append(m.environment(), "PATH="+m.path()+string(os.PathListSeparator)+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+os.DevNull)
	command.Stdin = strings.NewReader("yes\n")
	out, err := command.CombinedOutput()
	return strings.ReplaceAll(decoration.ReplaceAllString(string(out), ""), "OpenTofu", "Terraform"), err
}

// decoration is what a CLI draws around its words.
var decoration = regexp.MustCompile(`\x1b\[[0-9;]*m|[│╷╵]`)

// path is a directory in which the CLI under test has the names of both.
func (m *Module) path() string {
	m.t.Helper()
	directory := filepath.Join(filepath.Dir(m.config), "bin")
	if err := os.Mkdir(directory, 0o755); errors.Is(err, fs.ErrExist) {
		return directory
	}
	binary, err := exec.LookPath(cli())
	if err != nil {
		m.t.Fatal(err)
	}
	for _, name := range []string{"terraform", "tofu"} {
		if err := os.Symlink(binary, filepath.Join(directory, name)); err != nil {
			m.t.Fatal(err)
		}
	}
	return directory
}

// ReadFile reads a file of the module.
func (m *Module) ReadFile(name string) ([]byte, error) {
	return os.ReadFile(m.Path(name))
}

// MustRun is Run where a failure ends the test.
func (m *Module) MustRun(arguments ...string) string {
	m.t.Helper()
	out, err := m.Run(arguments...)
	if err != nil {
		m.t.Fatalf("%v: %s\n%s", arguments, err, out)
	}
	return out
}

const module = "github.com/versionskew/terraform-provider-versionskew"

// scratch is a directory that Main removes in the end.
var scratch string

// mirrored builds the provider, and what stands in for those of clouds, once and
// lays them out as a plugin mirror for both CLIs.
var mirrored = sync.OnceValues(func() (mirror string, err error) {
	if mirror, err = os.MkdirTemp(scratch, "mirror"); err != nil {
		return "", err
	}
	if err := install(mirror, module, "versionskew/versionskew"); err != nil {
		return "", err
	}
	standins, err := standin.Addresses()
	if err != nil {
		return "", err
	}
	return mirror, install(mirror, module+"/internal/acctest/standin/serve", standins...)
})

// install builds a command, and puts it into a plugin mirror under the addresses
// of the providers that it serves.
func install(mirror, command string, addresses ...string) error {
	binary := filepath.Join(mirror, filepath.Base(command))
	build := exec.Command("go", "build", "-o", binary, command)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as releases are
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w: %s", command, err, out)
	}
	for _, address := range addresses {
		for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
			place := filepath.Join(mirror, host, address, "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
			if err := os.MkdirAll(place, 0o755); err != nil {
				return err
			}
			if err := os.Link(binary, filepath.Join(place, executable(address))); err != nil {
				return err
			}
		}
	}
	return nil
}

// Demo is the demo of the project, on the CLI under test.
func Demo(t *testing.T) *exec.Cmd {
	t.Helper()
	mirror := mirrorFor(t)
	return exec.CommandContext(t.Context(), "../../tools/demo.sh", cli(), filepath.Join(mirror, path.Base(module)), "0.0.1")
}

// Executable is the name of the program of the provider, as a CLI runs it.
func Executable() string { return executable("versionskew/versionskew") }

func executable(address string) string {
	name := "terraform-provider-" + path.Base(address) + "_v0.0.1"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}
