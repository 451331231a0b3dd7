// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Bounds of what schemaChecks keeps: answers, and bytes of a configuration.
const (
	maxChecks     = 100
	maxCheckBytes = 1000
)

// schemaChecks keeps what checking configurations by their schema has found. The
// answer depends on the bytes alone. Once the node pools are left out, the
// instances of a plan seldom differ in more than a version, and the framework
// takes as long to check one as judging it does.
type schemaChecks struct {
	mu    sync.Mutex
	found map[string][]*tfprotov6.Diagnostic
}

// of returns what has been found before, or checks. The answer is shared: it must
// not be changed.
func (c *schemaChecks) of(typeName string, config *tfprotov6.DynamicValue, check func() ([]*tfprotov6.Diagnostic, error)) ([]*tfprotov6.Diagnostic, error) {
	if len(config.MsgPack) == 0 || len(config.MsgPack) > maxCheckBytes {
		return check()
	}
	key := typeName + " " + string(config.MsgPack)
	c.mu.Lock()
	found, ok := c.found[key]
	c.mu.Unlock()
	if ok {
		return found, nil
	}
	found, err := check()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil || len(c.found) >= maxChecks {
		c.found = map[string][]*tfprotov6.Diagnostic{}
	}
	c.found[key] = found
	return found, nil
}
