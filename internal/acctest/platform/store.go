// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Store stores a World, and protects it from concurrent changes by several providers.
type Store interface {
	Do(func(*World) error) error
}

// Memory is a Store in the memory of this process.
type Memory struct {
	mutex sync.Mutex
	World World
}

// Do calls a function that reads or changes the world.
func (m *Memory) Do(change func(*World) error) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return change(&m.World)
}

// File is a Store in the JSON file with this path. Providers that run as separate
// processes share it.
type File string

// lockTimeout is how long a process waits for another one to release the file.
const lockTimeout = 10 * time.Second

// Do calls a function that reads or changes the world in the file. Changes are stored
// even if the function fails, like on a real platform.
func (f File) Do(change func(*World) error) (err error) {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var w World
	switch text, err := os.ReadFile(string(f)); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(text, &w); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
	failed := change(&w)
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(failed, os.WriteFile(string(f), text, 0o600))
}

// lock creates a lock file. This works on all operating systems, because only one process
// can create a file.
func (f File) lock() (unlock func() error, err error) {
	name := string(f) + ".lock"
	for deadline := time.Now().Add(lockTimeout); ; time.Sleep(time.Millisecond) {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() error { return os.Remove(name) }, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) || time.Now().After(deadline) {
			return nil, fmt.Errorf("locking %s: %w", f, err)
		}
	}
}
