// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Limits of schemaChecks: the number of results, and the size of a configuration in
// bytes.
const (
	maxChecks     = 100
	maxCheckBytes = 1000
)

// schemaChecks caches the results of validating configurations against their schemas.
// A result only depends on the bytes of the configuration. Without node pools, many data
// sources of a plan have the same bytes. The framework takes as long to validate one as
// an evaluation takes.
type schemaChecks struct {
	mu    sync.Mutex
	found map[string][]*tfprotov6.Diagnostic
}

// of returns the cached result, or that of check. The result is shared, so it must not be
// modified.
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
