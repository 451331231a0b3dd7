// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// header is the beginning of the table. Comments in the file itself are lost; use
// the note of a minor instead.
const header = `# The Kubernetes release calendar, embedded in the provider. "make releases" updates it
# from schedule.yaml and eol.yaml (see sources). Values that neither file contains are
# kept and can be edited by hand.
#
# A minor that is missing here is unknown, not unsupported.
#
# release_date       date of the git tag x.y.0, unless a note states otherwise
# maintenance_start  first day of maintenance mode
# end_of_life        last day of support
# latest_patch       newest patch in the sources. Newer ones can exist, even after the
#                    end of life.
#
# release_date_planned and end_of_life_planned mark planned dates. The final date can
# differ by a few weeks. An update removes the mark once the date has passed. null means
# that no source has a value. All values are in quotes, because YAML reads 1.30 as 1.3.
`

// format formats the table. The result depends on the table only.
func format(t *releases.Table) []byte {
	var b bytes.Buffer
	b.WriteString(header)

	b.WriteString("\nsources:\n")
	for _, s := range t.Sources {
		fmt.Fprintf(&b, "  - name: %q\n    url: %q\n    read: %q\n", s.Name, s.URL, s.Read)
		writeOptional(&b, "as_of", s.AsOf.String())
		writeOptional(&b, "read_from", s.From)
		writeOptional(&b, "gives", s.Gives)
	}

	b.WriteString("\nreleases:\n")
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "  - minor: %q\n", r.Minor)
		writeNullable(&b, "release_date", r.ReleaseDate.String())
		if r.ReleaseDatePlanned {
			b.WriteString("    release_date_planned: true\n")
		}
		writeNullable(&b, "maintenance_start", r.MaintenanceStart.String())
		writeNullable(&b, "end_of_life", r.EndOfLife.String())
		if r.EndOfLifePlanned {
			b.WriteString("    end_of_life_planned: true\n")
		}
		writeNullable(&b, "latest_patch", r.LatestPatch.String())
		writeOptional(&b, "note", r.Note)
	}
	return b.Bytes()
}

// writeOptional leaves out what is empty.
func writeOptional(b *bytes.Buffer, name, value string) {
	if value != "" {
		fmt.Fprintf(b, "    %s: %q\n", name, value)
	}
}

// writeNullable writes null for what is empty.
func writeNullable(b *bytes.Buffer, name, value string) {
	if value == "" {
		fmt.Fprintf(b, "    %s: null\n", name)
		return
	}
	fmt.Fprintf(b, "    %s: %q\n", name, value)
}
