// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemCall is a system call of a process.
type systemCall struct {
	process, thread int
	number          uint64
	arguments       [6]uint64
}

// trace runs a command and reports every system call of processes that run an executable
// with the given name. It does not trace other processes. It skips the test if the
// system does not permit tracing.
func trace(t *testing.T, command *exec.Cmd, executable string, report func(systemCall)) (ok bool) {
	t.Helper()
	// For the kernel, the tracer is a thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := command.Start(); errors.Is(err, unix.EPERM) {
		t.Skip("the system does not permit tracing")
	} else if err != nil {
		t.Fatal(err)
	}
	first := command.Process.Pid

	processes := map[int]int{} // by thread, 0 if it is not traced
	for started := false; ; {
		var status unix.WaitStatus
		thread, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return ok // All threads have ended.
		case err != nil:
			t.Fatal(err)
		case !status.Stopped():
			delete(processes, thread)
			if thread == first {
				ok = status.Exited() && status.ExitStatus() == 0
			}
			continue
		}
		if !started {
			started = true
			options := unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
			if err := unix.PtraceSetOptions(thread, options); err != nil {
				t.Fatal(err)
			}
		}

		_, known := processes[thread]
		if !known || status.TrapCause() == unix.PTRACE_EVENT_EXEC {
			processes[thread] = processOf(thread, executable)
		}
		signal := 0
		switch caught := status.StopSignal(); {
		case caught == unix.SIGTRAP|0x80:
			if call, entered := systemCallOf(t, thread); entered {
				call.process = processes[thread]
				report(call)
			}
		case caught == unix.SIGTRAP, caught == unix.SIGSTOP && !known:
			// These signals tell the tracer that a thread or program has started.
		default:
			signal = int(caught)
		}
		resume := unix.PtraceCont
		if processes[thread] != 0 {
			resume = unix.PtraceSyscall
		}
		if err := resume(thread, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			t.Fatal(err)
		}
	}
}

// processOf returns the process of a thread, or 0 if it does not run the executable.
func processOf(thread int, executable string) int {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", thread))
	if err != nil || filepath.Base(name) != executable {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	if err != nil {
		return 0
	}
	process := 0
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "Tgid: %d", &process); err == nil {
			break
		}
	}
	return process
}

// systemCallOf returns the system call at which a thread has stopped. entered is false if
// the thread returns from the call. PTRACE_GET_SYSCALL_INFO is independent of the
// architecture, see ptrace(2).
func systemCallOf(t *testing.T, thread int) (_ systemCall, entered bool) {
	t.Helper()
	var info struct {
		op                     uint8
		_                      [3]uint8
		architecture           uint32
		instruction, stack, nr uint64
		arguments              [6]uint64
	}
	_, _, failed := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if failed == unix.ENOSYS || failed == unix.EIO {
		t.Skip("the kernel is older than 5.3, which PTRACE_GET_SYSCALL_INFO requires")
	}
	if failed != 0 {
		return systemCall{}, false // The thread was killed.
	}
	return systemCall{thread: thread, number: info.nr, arguments: info.arguments}, info.op == unix.PTRACE_SYSCALL_INFO_ENTRY
}

// memory reads the memory of the calling thread.
func (c systemCall) memory(address uint64, size int) []byte {
	text := make([]byte, size)
	n, _ := unix.PtracePeekData(c.thread, uintptr(address), text) // as much as is readable
	return text[:n]
}

// text reads a zero-terminated string.
func (c systemCall) text(argument int) string {
	s, _, _ := bytes.Cut(c.memory(c.arguments[argument], 512), []byte{0})
	return string(s)
}

// address describes the address of a socket: the path of a local one, or the family of
// any other.
func (c systemCall) address(argument int) string {
	raw := c.memory(c.arguments[argument], int(min(c.arguments[argument+1], 128)))
	if len(raw) < 2 {
		return "nowhere"
	}
	if family := binary.NativeEndian.Uint16(raw); family != unix.AF_UNIX {
		return fmt.Sprintf("an address of family %d", family)
	}
	path, _, _ := bytes.Cut(raw[2:], []byte{0})
	return string(path)
}
