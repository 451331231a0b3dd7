// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
)

// header is the beginning of the table. Comments in the file itself are lost; use
// the note of a minor instead.
const header = `# The release calendar of Kubernetes, which this program carries with it.
# Written by "make releases", which brings it up to date with schedule.yaml and
# eol.yaml (see sources). What neither of them has is kept as it is here, and
# may be corrected by hand.
#
# A minor that is missing here is unknown, never unsupported.
#
# release_date is the day of the git tag x.y.0, unless a note says otherwise.
# maintenance_start is the first day of maintenance, end_of_life the last day of
# support. release_date_planned and end_of_life_planned mark plans: the date that
# is published when the day comes can be some weeks off. A plan whose day has
# passed when the table is refreshed is no longer marked. latest_patch is the newest
# that the sources had; there can be newer ones, even after the end of life. null
# is what no source has published. Everything is in quotes, or YAML would take 1.30
# for 1.3.
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
