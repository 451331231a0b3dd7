// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"golang.org/x/sys/unix"
)

// harmless lists the system calls for memory, threads, time, signals, and for files and
// connections that are already open.
var harmless = map[uint64]bool{}

func init() {
	for _, number := range []uint64{
		// memory
		unix.SYS_BRK, unix.SYS_MADVISE, unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP, unix.SYS_MINCORE,
		// threads and processes, except for running a program
		unix.SYS_CLONE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_FUTEX, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_KILL, unix.SYS_PRCTL, unix.SYS_PRLIMIT64,
		unix.SYS_RSEQ, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_YIELD, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_TGKILL, unix.SYS_UNAME,
		unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
		// time and random numbers
		unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETRANDOM, unix.SYS_GETTIMEOFDAY, unix.SYS_NANOSLEEP, unix.SYS_SETITIMER,
		unix.SYS_TIMER_CREATE, unix.SYS_TIMER_DELETE, unix.SYS_TIMER_SETTIME, unix.SYS_RESTART_SYSCALL,
		// signals
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
		// open files and connections
		unix.SYS_ACCEPT4, unix.SYS_CLOSE, unix.SYS_DUP3, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_FCNTL, unix.SYS_FSTAT,
		unix.SYS_FSYNC, unix.SYS_GETPEERNAME, unix.SYS_GETSOCKNAME, unix.SYS_GETSOCKOPT, unix.SYS_IOCTL, unix.SYS_LISTEN, unix.SYS_LSEEK, unix.SYS_PIPE2, unix.SYS_PREAD64,
		unix.SYS_READ, unix.SYS_SETSOCKOPT, unix.SYS_SHUTDOWN, unix.SYS_WRITE, unix.SYS_WRITEV,
	} {
		harmless[number] = true
	}
	if runtime.GOARCH == "amd64" {
		harmless[158] = true // arch_prctl, for thread-local storage
	}
}

// describe describes a system call that is not harmless.
func describe(c systemCall) string {
	switch c.number {
	case unix.SYS_OPENAT:
		return "open " + c.text(1)
	case unix.SYS_READLINKAT:
		return "read the link " + c.text(1)
	case unix.SYS_UNLINKAT:
		return "remove " + c.text(1)
	case unix.SYS_EXECVE:
		return "run " + c.text(0)
	case unix.SYS_SOCKET:
		return fmt.Sprintf("make a socket of family %d", c.arguments[0])
	case unix.SYS_BIND:
		return "listen at " + c.address(1)
	case unix.SYS_CONNECT:
		return "connect to " + c.address(1)
	case unix.SYS_SENDTO:
		return "send to " + c.address(4)
	}
	return fmt.Sprintf("system call %d", c.number)
}

// permitted is a system call that is not harmless, but does not come from this provider.
type permitted struct {
	what *regexp.Regexp
	// serving permits the call while the provider serves, and not only at its start.
	serving bool
	why     string
}

// byOthers lists the system calls of the Go runtime and of the libraries for the plugin
// protocol.
func byOthers(executable string) []permitted {
	permit := func(what string, serving bool, why string) permitted {
		return permitted{regexp.MustCompile("^" + what + "$"), serving, why}
	}
	socket := regexp.QuoteMeta(filepath.Join(os.TempDir(), "plugin")) + `\d+`
	return []permitted{
		permit("open /sys/kernel/mm/transparent_hugepage/hpage_pmd_size", false, "the Go runtime reads the page size"),
		permit("open /proc/self/(cgroup|mountinfo)", false, "the Go runtime reads how many processors it may use"),
		permit(`open /sys/fs/cgroup/[^.]*cpu\.(max|cfs_quota_us|cfs_period_us)`, false, "the same"),
		permit("open /proc/sys/net/core/somaxconn", false, "the Go runtime reads the length of the listen queue"),
		permit("open (/etc/localtime|/usr/share/zoneinfo/.*)", false, "the Go runtime reads the time zone for log lines"),
		permit("read the link /proc/self/exe", false, "protobuf looks up its own executable"),
		permit("open .*/"+regexp.QuoteMeta(executable), false, "protobuf hashes the executable to randomize its output"),
		permit("open "+socket, false, "go-plugin creates a temporary file for a free name"),
		permit("remove "+socket, true, "go-plugin removes that file, and its socket in the end"),
		permit(fmt.Sprintf("make a socket of family %d", unix.AF_UNIX), false, "go-plugin creates the socket for the CLI"),
		permit("listen at "+socket, false, "go-plugin listens on the socket"),
	}
}

// TestNoConnectionAndNoFile traces the provider's system calls during an apply, and checks
// that it opens neither a network connection nor a file. byOthers lists the exceptions.
func TestNoConnectionAndNoFile(t *testing.T) {
	m := newModule(t, `
terraform {
  required_providers {
    versionskew = { source = "versionskew/versionskew" }
  }
}
provider "versionskew" {
  policy = data.versionskew_policy.own.json
}
provider "versionskew" {
  alias = "default"
}
data "versionskew_policy" "own" {
  provider = versionskew.default
  extends  = "eks"
}
data "versionskew_releases" "all" {}
data "versionskew_evaluation" "prod" {
  control_plane_version = "1.31"
  node_pools            = { gpu = { kubelet = "1.27" } }
}
data "versionskew_upgrade_plan" "prod" {
  control_plane_version = "1.31"
  target_version        = "1.33"
}
resource "versionskew_validation" "prod" {
  control_plane_version = "1.31"
}
output "answers" {
  value = [
    provider::versionskew::is_supported("kubelet", "1.30", ["1.31"]),
    data.versionskew_evaluation.prod.supported,
    length(data.versionskew_releases.all.releases) > 0,
    length(data.versionskew_upgrade_plan.prod.stages) > 0,
  ]
}`)
	command := m.Command("apply", "-auto-approve", "-input=false", "-no-color")
	printed, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = printed.Close() }()
	command.Stdout, command.Stderr = printed, printed

	executable := acctest.Executable()
	expected := byOthers(executable)
	var starts, answers int
	serving := map[int]bool{}
	did := map[string]bool{}
	ok := trace(t, command, executable, func(c systemCall) {
		if harmless[c.number] {
			switch {
			case c.number != unix.SYS_WRITE:
			case c.arguments[0] == 1:
				serving[c.process] = true // The handshake is written to the standard output.
			case serving[c.process]:
				answers++
			}
			return
		}
		what := describe(c)
		if slices.ContainsFunc(expected, func(p permitted) bool { return p.what.MatchString(what) && (p.serving || !serving[c.process]) }) {
			starts++
			return
		}
		did[what] = true
	})
	for what := range did {
		t.Errorf("forbidden system call: %s", what)
	}
	out, err := os.ReadFile(printed.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !ok || !strings.Contains(string(out), "1 added") {
		t.Fatalf("the apply failed:\n%s", out)
	}
	if len(serving) == 0 || starts == 0 || answers == 0 {
		t.Errorf("%d processes, %d permitted calls and %d writes were traced, want some of each", len(serving), starts, answers)
	}
}
