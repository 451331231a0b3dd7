package acctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
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

// NewModuleIn is NewModule for a directory in a tree, which it may call other
// modules of.
func NewModuleIn(t *testing.T, tree, directory string) *Module {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("a CLI is run only if TF_ACC is set")
	}
	mirror, err := mirrored()
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	m := &Module{t: t, directory: filepath.Join(work, directory), config: filepath.Join(t.TempDir(), "cli.tfrc")}
	config := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	if err := os.WriteFile(m.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(work, os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	m.MustRun("init", "-input=false")
	return m
}

// Path is where a file of the module is.
func (m *Module) Path(name string) string { return filepath.Join(m.directory, name) }

// Command is the CLI in the module, before it runs.
func (m *Module) Command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(m.t.Context(), cli(), arguments...)
	command.Dir = m.directory
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+m.config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	return command
}

// Run runs the CLI in the module and returns all it prints.
func (m *Module) Run(arguments ...string) (string, error) {
	m.t.Helper()
	out, err := m.Command(arguments...).CombinedOutput()
	return string(out), err
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

// scratch is a directory that Main removes in the end.
var scratch string

// mirrored builds the provider once, and lays it out as a plugin mirror for
// both CLIs.
var mirrored = sync.OnceValues(func() (mirror string, err error) {
	if mirror, err = os.MkdirTemp(scratch, "mirror"); err != nil {
		return "", err
	}
	binary := filepath.Join(mirror, "terraform-provider-versionskew_v0.0.1")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-o", binary, "github.com/versionskew/terraform-provider-versionskew")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as releases are
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w: %s", err, out)
	}
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		place := filepath.Join(mirror, host, "versionskew", "versionskew", "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(place, 0o755); err != nil {
			return "", err
		}
		if err := os.Link(binary, filepath.Join(place, filepath.Base(binary))); err != nil {
			return "", err
		}
	}
	return mirror, nil
})

// Binary is the provider that modules run.
func Binary(t *testing.T) string {
	t.Helper()
	mirror, err := mirrored()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(mirror, "terraform-provider-versionskew_v0.0.1")
}
