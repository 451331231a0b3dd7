// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// header is the beginning of the table. Other comments in the file get lost. Use the
// note of a minor instead.
const header = `# The embedded Kubernetes release calendar. "make releases" updates it from
# schedule.yaml and eol.yaml (see sources). It keeps data that is in neither file,
# which can be corrected by hand.
#
# A minor that is not listed is unknown, not unsupported.
#
# release_date is the day of the git tag x.y.0, unless a note says otherwise.
# maintenance_start is the first day of maintenance, and end_of_life the last day of
# support. release_date_planned and end_of_life_planned mark planned dates, which can
# differ from the final ones by some weeks. Once a planned date has passed, the next
# update removes the mark. latest_patch is the newest patch in the sources. There can
# be newer ones, even after the end of life. null means that no source has the date.
# All values are in quotes, because YAML would read 1.30 as 1.3.
`

// format formats the table. The result depends on the table only.
func format(t *releases.Table) []byte {
	var b bytes.Buffer
	b.WriteString(header)

	b.WriteString("\nsources:\n")
	for _, s := range t.Sources {
		fmt.Fprintf(&b, "  - name: %q\n    url: %q\n    read: %q\n", s.Name, s.URL, s.Read)
		writeOptional(&b, "as_of", s.AsOf.String())
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

// writeOptional writes a field unless it is empty.
func writeOptional(b *bytes.Buffer, name, value string) {
	if value != "" {
		fmt.Fprintf(b, "    %s: %q\n", name, value)
	}
}

// writeNullable writes a field, as null if it is empty.
func writeNullable(b *bytes.Buffer, name, value string) {
	if value == "" {
		fmt.Fprintf(b, "    %s: null\n", name)
		return
	}
	fmt.Fprintf(b, "    %s: %q\n", name, value)
}
