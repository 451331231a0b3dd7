// SPDX-License-Identifier: MPL-2.0

package version

import (
	"fmt"
	"slices"
	"strings"
)

// Scheme maps the release numbers of a distribution to Kubernetes minors. A nil Scheme
// is the scheme of Kubernetes versions.
type Scheme struct {
	name, title string
	// majors maps releases to Kubernetes minors, oldest major first.
	majors []schemeMajor
}

// schemeMajor says that release major.y runs Kubernetes 1.(y+offset).
type schemeMajor struct {
	major, offset int
	// last is the last minor of the major, 0 if unknown.
	last int
	// lostZeros is the last minor that rather is a newer one without its last zero: 2 if 4.1
	// and 4.2 stand for 4.10 and 4.20.
	lostZeros int
}

// schemes contains all known schemes.
//
// OpenShift 4.y runs Kubernetes 1.(y+13), and 5.0 the same minor as 4.23:
// https://github.com/openshift/hypershift/blob/main/support/supportedversion/version.go
var schemes = []*Scheme{
	{"openshift", "OpenShift", []schemeMajor{{major: 4, offset: 13, last: 23, lostZeros: 2}, {major: 5, offset: 36}}},
}

// SchemeNames lists the schemes in alphabetical order.
func SchemeNames() []string {
	var names []string
	for _, s := range schemes {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

// SchemeNamed returns the scheme with the given name. ok is false if it does not
// exist.
func SchemeNamed(name string) (s *Scheme, ok bool) {
	i := slices.IndexFunc(schemes, func(s *Scheme) bool { return s.name == name })
	if i < 0 {
		return nil, false
	}
	return schemes[i], true
}

// Parse parses a version as a release of the scheme if its major belongs to the
// scheme, and otherwise as a Kubernetes version. It returns the errors of the
// function Parse.
func (s *Scheme) Parse(text string) (Version, error) {
	v, err := Parse(text)
	if err != nil || s == nil {
		return v, err
	}
	if m, ok := s.of(v.Minor().Major); ok {
		v.read.release, v.read.scheme = v.read.minor, s
		v.read.minor = Minor{1, v.read.release.Minor + m.offset}
	}
	return v, nil
}

// Name returns the name of the scheme in policies.
func (s *Scheme) Name() string { return s.name }

// Title returns the name of the distribution.
func (s *Scheme) Title() string { return s.title }

// PossibleRelease returns v as a release of a distribution, if it was read as a
// Kubernetes version but has a major that only a distribution uses. s is the scheme of
// the distribution, nil if there is none.
func (v Version) PossibleRelease() (release Version, s *Scheme) {
	for _, s := range schemes {
		if release, err := s.Parse(v.Binary().String()); err == nil && release.Minor() != v.Minor() {
			return release, s
		}
	}
	return Version{}, nil
}

func (s *Scheme) of(major int) (schemeMajor, bool) {
	i := slices.IndexFunc(s.majors, func(m schemeMajor) bool { return m.major == major })
	if i < 0 {
		return schemeMajor{}, false
	}
	return s.majors[i], true
}

// Numbering is how versions are written: as releases of a scheme, or, for the zero
// value, as Kubernetes versions.
type Numbering struct {
	scheme *Scheme
	major  int
}

// Numbering returns the numbering in which v was written.
func (v Version) Numbering() Numbering {
	p := v.parts()
	return Numbering{p.scheme, p.release.Major}
}

// Numbering returns the numbering of the scheme, starting at its oldest major.
func (s *Scheme) Numbering() Numbering {
	if s == nil {
		return Numbering{}
	}
	return Numbering{s, s.majors[0].major}
}

// IsKubernetes reports whether versions are written as Kubernetes versions.
func (n Numbering) IsKubernetes() bool { return n.scheme == nil }

// Number converts a Kubernetes minor to this numbering: for OpenShift 4, 1.33 is
// 4.20. The result has the same major as the written version where possible, and is
// the Kubernetes minor itself if no release runs it.
func (n Numbering) Number(m Minor) Minor {
	if n.scheme == nil || m.Major != 1 {
		return m
	}
	i := slices.IndexFunc(n.scheme.majors, func(s schemeMajor) bool { return s.major == n.major })
	for i >= 0 && i < len(n.scheme.majors) {
		s := n.scheme.majors[i]
		switch y := m.Minor - s.offset; {
		case y < 0:
			i--
		case s.last > 0 && y > s.last:
			i++
		default:
			return Minor{s.major, y}
		}
	}
	return m
}

// Version converts a Kubernetes minor to a version in this numbering, without a
// patch.
func (n Numbering) Version(m Minor) Version {
	if n.IsKubernetes() {
		return m.Version() // without parsing it
	}
	return n.read(n.Number(m).String(), m)
}

// WithPatch converts a patch of a Kubernetes minor to this numbering.
func (n Numbering) WithPatch(m Minor, patch int) Version {
	return n.read(fmt.Sprintf("%s.%d", n.Number(m), patch), m)
}

func (n Numbering) read(text string, m Minor) Version {
	v, err := n.scheme.Parse(text)
	if err != nil || v.Minor() != m {
		return m.Version() // too large for a version
	}
	return v
}

// Show formats a Kubernetes minor for messages: "1.33", or "4.20 (1.33)".
func (n Numbering) Show(m Minor) string {
	number := n.Number(m)
	if number == m {
		return m.String()
	}
	return fmt.Sprintf("%s (%s)", number, m)
}

// Shown formats the minor that v counts as for messages: "1.33", "4.20 (1.33)" or,
// if it is emulated, "1.35 (emulated by 1.36)".
func (v Version) Shown() string {
	if b := v.Binary(); b != v {
		return fmt.Sprintf("%s (emulated by %s)", v.Numbering().Number(v.Minor()), v.Numbering().Number(b.Minor()))
	}
	return v.Numbering().Show(v.Minor())
}

// Range formats the versions from one version up to, but not including, another one
// as a constraint in this numbering. A zero version leaves that side open. The
// constraint stays within the written major, because the numbers of the next major
// do not continue those of this one.
func (n Numbering) Range(from, below Version) string {
	var terms []string
	if n.scheme == nil {
		if !from.IsZero() {
			terms = append(terms, ">= "+from.String())
		}
		if !below.IsZero() {
			terms = append(terms, "< "+below.String())
		}
		return strings.Join(terms, ", ")
	}
	n.major = max(n.major, n.Number(from.Minor()).Major) // that of the zero version is 0
	if !below.IsZero() {
		n.major = min(n.major, n.Number(below.Minor().Add(-1)).Major)
	}
	number := func(v Version) string {
		if patch, ok := v.Patch(); ok {
			return fmt.Sprintf("%s.%d", n.Number(v.Minor()), patch)
		}
		return n.Number(v.Minor()).String()
	}
	if n.Number(from.Minor()).Major != n.major {
		terms = append(terms, fmt.Sprintf(">= %d.0", n.major))
	} else {
		terms = append(terms, ">= "+number(from))
	}
	m, _ := n.scheme.of(n.major)
	switch {
	case n.Number(below.Minor()).Major == n.major:
		terms = append(terms, "< "+number(below))
	case m.last > 0:
		terms = append(terms, fmt.Sprintf("< %d.%d", n.major, m.last+1))
	default:
		terms = append(terms, fmt.Sprintf("< %d.0", n.major+1))
	}
	return strings.Join(terms, ", ")
}
