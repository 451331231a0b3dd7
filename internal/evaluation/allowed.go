// SPDX-License-Identifier: MPL-2.0

package evaluation

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// AllowedTable lists the versions that a policy allows with different control planes.
type AllowedTable struct {
	Components []string
	Rows       []AllowedRow
}

// AllowedRow holds the windows of the components if all API servers have one minor.
type AllowedRow struct {
	ControlPlane version.Version
	Windows      []finding.Window // in the order of the components
}

// Allowed returns the versions that components may have with each of the control
// planes.
func Allowed(p *policy.Policy, controlPlanes []version.Version, components []string) AllowedTable {
	t := AllowedTable{Components: components}
	for _, v := range controlPlanes {
		row := AllowedRow{ControlPlane: v}
		for _, component := range components {
			row.Windows = append(row.Windows, AllowedWith(p, component, v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ControlPlanes returns control-plane minors as versions in the numbering of a policy.
func ControlPlanes(p *policy.Policy, minors []version.Minor) []version.Version {
	var versions []version.Version
	for _, m := range minors {
		versions = append(versions, p.Scheme.Numbering().Version(m))
	}
	return versions
}
