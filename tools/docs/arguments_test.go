// SPDX-License-Identifier: MPL-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupArguments(t *testing.T) {
	const page = `# A page

## Schema

### Required

- ` + "`target_version`" + ` (String) The target.

### Optional

> **NOTE**: Write-only arguments need a new CLI.

- ` + "`as_of`" + ` (String, [Write-only](https://example.com/w)) The day.
- ` + "`node_pools`" + ` (Attributes Map) The pools. (see [below](#nestedatt--node_pools))
- ` + "`observed`" + ` (Attributes) What runs.
- ` + "`odd`" + ` (String) Nobody has grouped this.

### Read-Only

- ` + "`id`" + ` (String) The ID.

<a id="nestedatt--node_pools"></a>
### Nested Schema for ` + "`node_pools`" + `

Once.

<a id="nestedatt--observed"></a>
### Nested Schema for ` + "`observed`" + `

Optional:

<a id="nestedatt--observed--node_pools"></a>
### Nested Schema for ` + "`observed.node_pools`" + `

Again.

## Import
`
	const want = `# A page

## Schema

> **NOTE**: Write-only arguments need a new CLI.

### The plan

- ` + "`target_version`" + ` (String, required) The target.

### What runs

- ` + "`node_pools`" + ` (Attributes Map) The pools. (see [below](#nestedatt--node_pools))

### Where the step starts, and its order

- ` + "`observed`" + ` (Attributes) What runs.

### How strict

- ` + "`as_of`" + ` (String, write-only) The day.

### More

- ` + "`odd`" + ` (String) Nobody has grouped this.

### Read-Only

- ` + "`id`" + ` (String) The ID.

<a id="nestedatt--node_pools"></a>
### Nested Schema for ` + "`node_pools`" + `

Once.

<a id="nestedatt--observed"></a>
### Nested Schema for ` + "`observed`" + `

The arguments under [What runs](#what-runs).


## Import
`
	got, err := groupArgumentsOf(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := groupArgumentsOf("# A page without a schema\n"); err == nil {
		t.Error("no error for a page without arguments")
	}
}
