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

// Store keeps a world between operations. Any number of providers may use one at
// once.
type Store interface {
	Do(func(*World) error) error
}

// Memory keeps a world in this process.
type Memory struct {
	mutex sync.Mutex
	World World
}

// Do lets a function change the world.
func (m *Memory) Do(change func(*World) error) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return change(&m.World)
}

// File keeps a world in a file of this path, for providers that are processes of
// their own.
type File string

// patience is how long a provider waits for another one.
const patience = 10 * time.Second

// Do lets a function change the world in the file. What it has changed is kept
// even if it fails, as on a real platform.
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

// lock makes a file that only one process can make, on every operating system.
func (f File) lock() (unlock func() error, err error) {
	name := string(f) + ".lock"
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() error { return os.Remove(name) }, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) || time.Now().After(deadline) {
			return nil, fmt.Errorf("locking %s: %w", f, err)
		}
	}
}
