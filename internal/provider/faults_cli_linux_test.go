package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"golang.org/x/sys/unix"
)

// TestKilledProvider kills the provider at points from the first to the last of
// what it says during an apply. The state is the one before or, once the
// provider has said all, the one after, and the next plan is right.
func TestKilledProvider(t *testing.T) {
	m := newModule(t, upgraded)
	m.MustRun("apply", "-auto-approve", "-input=false")
	before, err := os.ReadFile(m.Path("terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}

	// apply kills the provider when it has written so often, unless that is 0.
	apply := func(kill int) (writes int, ok bool, out string) {
		printed, err := os.Create(filepath.Join(t.TempDir(), "printed"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = printed.Close() }()
		command := m.Command("apply", "-auto-approve", "-input=false", "-no-color", "-var=to=1.31")
		command.Stdout, command.Stderr = printed, printed
		ok = trace(t, command, acctest.Executable(), func(c systemCall) {
			if c.number != unix.SYS_WRITE {
				return
			}
			if writes++; writes == kill {
				_ = unix.Kill(c.process, unix.SIGKILL)
			}
		})
		text, err := os.ReadFile(printed.Name())
		if err != nil {
			t.Fatal(err)
		}
		return writes, ok, string(text)
	}
	restore := func() {
		if err := os.WriteFile(m.Path("terraform.tfstate"), before, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	all, ok, out := apply(0)
	if !ok || !strings.Contains(out, "1 changed") {
		t.Fatalf("the apply fails by itself: %s", out)
	}
	refused := 0
	const points = 4
	for i := 1; i <= points; i++ {
		restore()
		_, ok, out := apply(all * i / (points + 1))
		_, attributes := stateOf(t, m)
		version, want := attributes["control_plane_version"], "No changes"
		if version == "1.30" {
			want = "1 to change"
		}
		t.Logf("killed after %d of %d writes: applied %t, the state holds %v", all*i/(points+1), all, ok, version)
		if version != "1.30" && version != "1.31" || ok && version != "1.31" || strings.Contains(out, "panic") {
			t.Errorf("killed at point %d, the state holds %v:\n%s", i, version, out)
		}
		if !ok {
			refused++
		}
		if out, err := m.Run("plan", "-input=false", "-no-color", "-var=to=1.31"); err != nil || !strings.Contains(out, want) {
			t.Errorf("the next plan: %v\n%s\nwant %s", err, out, want)
		}
	}
	if refused == 0 {
		t.Error("no apply noticed that its provider was killed")
	}
}

// TestFullDisk applies where nothing more can be written: the old state stays,
// or can be read, and once there is room the next plan is right.
func TestFullDisk(t *testing.T) {
	m := newModule(t, upgraded)
	m.MustRun("apply", "-auto-approve", "-input=false")
	disk := t.TempDir()
	m.MustRun("plan", "-input=false", "-var=to=1.31", "-out=plan")
	apply := m.Command("apply", "-input=false", "-no-color", "plan")
	script := `
set -e
mount -t tmpfs -o size=256k tmpfs "$1"
cp terraform.tfstate main.tf plan .terraform.lock.hcl "$1"
ln -s "$PWD/.terraform" "$1/.terraform"
cd "$1"
dd if=/dev/zero of=filler bs=512 2> /dev/null || true
"$2" apply -input=false -no-color plan && echo APPLIED || true
rm filler
"$2" plan -input=false -no-color -var=to=1.31`
	command := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", disk, apply.Path)
	command.Dir, command.Env = apply.Dir, apply.Env
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := command.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "space left") {
		t.Skipf("no small disk can be mounted here: %v: %s", err, out)
	}
	text := string(out)
	if err != nil || strings.Contains(text, "APPLIED") || !strings.Contains(text, "no space left on device") || !strings.Contains(text, "1 to change") {
		t.Errorf("want the apply to say what is wrong, and the plan after it to be as before: %v\n%s", err, text)
	}
}
