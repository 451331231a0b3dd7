// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// TestSchemaChecks checks that each configuration of a type is only validated once, and that
// the cache stays within its limits.
func TestSchemaChecks(t *testing.T) {
	var c schemaChecks
	checks := 0
	ask := func(typeName, config string, err error) (string, error) {
		found, err := c.of(typeName, &tfprotov6.DynamicValue{MsgPack: []byte(config)}, func() ([]*tfprotov6.Diagnostic, error) {
			checks++
			return []*tfprotov6.Diagnostic{{Summary: typeName + config}}, err
		})
		if err != nil {
			return "", err
		}
		return found[0].Summary, nil
	}
	if _, err := ask("a", "1", errors.New("no")); err == nil {
		t.Error("the error of a check is not returned")
	}
	for _, tt := range []struct {
		typeName, config string
		checks           int
	}{
		{"a", "1", 2}, {"a", "1", 2}, {"b", "1", 3}, {"a", "2", 4}, {"a", "1", 4},
		{"a", strings.Repeat("x", maxCheckBytes+1), 5}, {"a", strings.Repeat("x", maxCheckBytes+1), 6},
	} {
		if got, err := ask(tt.typeName, tt.config, nil); err != nil || got != tt.typeName+tt.config || checks != tt.checks {
			t.Errorf("%s %.5s: %.5q, %v after %d checks, want %d", tt.typeName, tt.config, got, err, checks, tt.checks)
		}
	}
	for i := range 10 * maxChecks {
		if _, err := ask("c", fmt.Sprint(i), nil); err != nil {
			t.Fatal(err)
		}
		if len(c.found) > maxChecks {
			t.Fatalf("the cache has %d results, want at most %d", len(c.found), maxChecks)
		}
	}
}
