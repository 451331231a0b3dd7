// SPDX-License-Identifier: MPL-2.0

package platform

import "sync"

// Store protects a World from concurrent changes by several providers.
type Store struct {
	mutex sync.Mutex
	World World
}

// Do calls a function that reads or changes the world.
func (s *Store) Do(change func(*World) error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return change(&s.World)
}
