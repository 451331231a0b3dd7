// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// AllowedTable is which versions a policy allows beside control planes.
type AllowedTable struct {
	Components []string
	Rows       []AllowedRow
}

// AllowedRow is what the components may have beside a control plane all of whose API
// servers are at one minor.
type AllowedRow struct {
	ControlPlane version.Version
	Windows      []finding.Window // in the order of the components
}

// Allowed finds which versions some components may have beside control planes.
func Allowed(p *policy.Policy, controlPlanes []version.Version, components []string) AllowedTable {
	t := AllowedTable{Components: components}
	for _, v := range controlPlanes {
		row := AllowedRow{ControlPlane: v}
		for _, component := range components {
			row.Windows = append(row.Windows, AllowedBeside(p, component, v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ControlPlanes writes control-plane minors in the numbers of a policy.
func ControlPlanes(p *policy.Policy, minors []version.Minor) []version.Version {
	var versions []version.Version
	for _, m := range minors {
		versions = append(versions, p.Scheme.Numbering().Version(m))
	}
	return versions
}
