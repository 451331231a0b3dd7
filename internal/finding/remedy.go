package finding

import "github.com/versionskew/terraform-provider-versionskew/internal/version"

// Remedy is a change of declared versions that removes a finding without bringing
// a new one: all targets take the same minor.
type Remedy struct {
	Targets []Target
	// Upgrade says that the targets move to newer minors; otherwise they stay at,
	// or return to, older ones.
	Upgrade bool
	// Allowed is the minors that work, all of them listed.
	Allowed Window
	// Version is the one version that works, where a minor alone does not say
	// it; otherwise zero.
	Version version.Version
}

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
