package policy

import (
	"fmt"
	"slices"
	"time"

	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Release is how long a platform supports a minor. Dates are the last day of
// what they end; the zero date is one that the platform does not give.
type Release struct {
	Minor version.Minor
	// ReleaseDate is the first day on which the platform offers the minor.
	ReleaseDate releases.Date
	// EndOfLife is the last day of standard support.
	EndOfLife releases.Date
	// EndOfExtendedSupport is the last day of support that costs extra or has to
	// be asked for, such as the long-term support of AKS.
	EndOfExtendedSupport releases.Date
	Source               string // URL
	ReadOn               string // day on which the source was read, YYYY-MM-DD
}

// release is a Release as it is written down.
type release struct {
	ReleaseDate          day    `json:"release_date,omitzero"`
	EndOfLife            day    `json:"end_of_life,omitzero"`
	EndOfExtendedSupport day    `json:"end_of_extended_support,omitzero"`
	Source               string `json:"source,omitempty"`
	ReadOn               string `json:"read_on,omitempty"`
}

func (r *release) over(parent *release) *release {
	return &release{
		ReleaseDate:          orElse(r.ReleaseDate, parent.ReleaseDate),
		EndOfLife:            orElse(r.EndOfLife, parent.EndOfLife),
		EndOfExtendedSupport: orElse(r.EndOfExtendedSupport, parent.EndOfExtendedSupport),
		Source:               orElse(r.Source, parent.Source),
		ReadOn:               orElse(r.ReadOn, parent.ReadOn),
	}
}

// day is a date that may be written as a timestamp too, as the data sources of
// the clouds have them. It is written as a date.
type day struct{ releases.Date }

// UnmarshalText reads YYYY-MM-DD, or the day in UTC of an RFC 3339 timestamp.
func (d *day) UnmarshalText(text []byte) error {
	s := string(text)
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		s = t.UTC().Format(time.DateOnly)
	}
	var err error
	if d.Date, err = releases.ParseDate(s); err != nil {
		return fmt.Errorf("%q is not a date. Write YYYY-MM-DD, such as %q", text, "2026-11-20")
	}
	return nil
}

// MarshalText writes the day as YYYY-MM-DD.
func (d day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// releases turns the dates of a platform into a list, oldest minor first. It is
// nil only if the policy has no releases, so that those of upstream count.
func (c *compiler) releases(written map[string]*release) []*Release {
	if written == nil {
		return nil
	}
	all := make([]*Release, 0, len(written))
	for _, name := range sortedKeys(written) {
		at, r := []string{"releases", name}, written[name]
		v, err := version.Parse(name)
		if err != nil || v.Minor().String() != name {
			c.complain(at, "releases are keyed by minor, such as \"1.33\"")
			continue
		}
		ordered := func(before, after day, field, text string) {
			if !before.IsZero() && !after.IsZero() && after.Compare(before.Date) < 0 {
				c.complain(under(at, field), "%s is before %s on %s", after, text, before)
			}
		}
		ordered(r.ReleaseDate, r.EndOfLife, "end_of_life", "the release")
		ordered(r.ReleaseDate, r.EndOfExtendedSupport, "end_of_extended_support", "the release")
		ordered(r.EndOfLife, r.EndOfExtendedSupport, "end_of_extended_support", "the end of life")
		all = append(all, &Release{
			Minor: v.Minor(), ReleaseDate: r.ReleaseDate.Date, EndOfLife: r.EndOfLife.Date,
			EndOfExtendedSupport: r.EndOfExtendedSupport.Date, Source: r.Source, ReadOn: r.ReadOn,
		})
	}
	slices.SortFunc(all, func(a, b *Release) int { return a.Minor.Compare(b.Minor) })
	return all
}
