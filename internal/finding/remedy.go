package finding

import "github.com/versionskew/terraform-provider-versionskew/internal/version"

// Remedy is a change of declared versions that removes a finding without bringing
// a new one: all targets take the same minor.
type Remedy struct {
	Targets []Target
	// Upgrade says that the targets move to newer minors; otherwise they stay at,
	// or return to, older ones.
	Upgrade bool
	// Minors is what works: oldest first, without a gap.
	Minors []version.Minor
	// Limited says that the next minor beyond does not work.
	Limited bool
	// Version is the version of Minors[0] that works, where patches count;
	// otherwise zero.
	Version version.Version
	// Numbers is what the targets are written in.
	Numbers version.Numbering
	// Kept says that all targets run the nearest version now, before the step.
	Kept bool
	// OwnApply says that the change has to be made in an apply of its own, before
	// the step, because the order within the step does not allow it.
	OwnApply bool
}

// Nearest returns the minor of the remedy that is nearest to what is declared.
func (r Remedy) Nearest() version.Minor {
	if r.Upgrade {
		return r.Minors[0]
	}
	return r.Minors[len(r.Minors)-1]
}

// Show writes a minor of the remedy for a reader.
func (r Remedy) Show(m version.Minor) string { return r.Numbers.Show(m) }

// Target is components at some locations that a remedy changes together.
type Target struct {
	Components []string
	Locations  []Location
}

// WithRemedies returns the finding with remedies, the best one first, which are
// computed when they are first asked for.
func (f Finding) WithRemedies(compute func() []Remedy) Finding {
	f.remedies = compute
	return f
}

// Remedies returns what repairs the finding, the best one first. It is empty for
// advisories and where no single change works.
func (f Finding) Remedies() []Remedy {
	if f.remedies == nil {
		return nil
	}
	return f.remedies()
}

// RemediesTried reports whether remedies of the finding are looked for, so that
// having none says something.
func (f Finding) RemediesTried() bool { return f.remedies != nil }
