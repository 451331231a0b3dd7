// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefreshReadme(t *testing.T) {
	const page = `# A module
<!-- generated: inputs -->
old
<!-- end -->
by hand
<!-- generated: outputs -->
<!-- end -->
<!-- generated: usage call.tf -->
<!-- end -->
<!-- generated: allowed-versions eks -->
old
<!-- end -->
`
	const updated = `# A module
<!-- generated: inputs -->
- ` + "`name` (`string`, required)" + `: Name of the cluster.
- ` + "`node_pools` (`map(object({ version = optional(string), count = optional(number, 1) }))`, default `{}`)" + `: The pools.
<!-- end -->
by hand
<!-- generated: outputs -->
- ` + "`report`" + `: A page.
<!-- end -->
<!-- generated: usage call.tf -->
` + "```hcl\nmodule \"cluster\" {}\n```" + `
<!-- end -->
<!-- generated: allowed-versions eks -->
| a table |
<!-- end -->
`
	for _, tt := range []struct{ name, page, variables, want, fails string }{
		{"all sections", page, "", updated, ""},
		{"unchanged", updated, "", updated, ""},
		{"unknown section", "<!-- generated: weather -->\n<!-- end -->\n", "", "", `unknown kind of section "weather"`},
		{"variable without description", page, `variable "name" {}`, "", `variable "name" has no description`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			directory := t.TempDir()
			if tt.variables == "" {
				tt.variables = `variable "name" {
  type        = string
  description = "Name of the cluster."
}
variable "node_pools" {
  description = "The pools."
  type = map(object({
    version = optional(string)
    count   = optional(number, 1)
  }))
  default = {}
}
`
			}
			for name, text := range map[string]string{
				"README.md":    tt.page,
				"variables.tf": tt.variables,
				"outputs.tf":   "output \"report\" {\n  description = \"A page.\"\n  value       = null\n}\n",
				"call.tf":      "module \"cluster\" {}\n",
				"eks.md":       "| a table |\n",
			} {
				if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			readme := filepath.Join(directory, "README.md")
			err := refreshReadme(readme, directory)
			if tt.fails != "" {
				if err == nil || err.Error() != tt.fails {
					t.Errorf("error %v, want %s", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(readme)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
