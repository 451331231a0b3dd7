// SPDX-License-Identifier: MPL-2.0

// Package version parses the versions of Kubernetes components and counts the
// minors between them.
//
// Vendors append builds to an upstream version, after "-", "+" or "~"
// (v1.31.2-eks-7f9249a, 1.33.4-gke.1350000, v1.31.1+k3s1). According to Semantic
// Versioning, the first two would be pre-releases, older than 1.31.2. Here, only
// alpha, beta and rc are pre-releases, and a pre-release belongs to its own minor.
// Constraints and the order of pre-releases come from
// github.com/hashicorp/go-version.
package version

import (
	"cmp"
	"fmt"

	goversion "github.com/hashicorp/go-version"
)

// Version is a declared version. The zero value is not a version; only Parse and
// Minor.Version create others. Copies share the parsed data, so that thousands of
// instances at the same version use little memory.
type Version struct {
	read *parts
}

type parts struct {
	declared   string
	minor      Minor
	patch      int
	hasPatch   bool
	prerelease string
	build      string
	// scheme is the scheme that the version was written in, nil for Kubernetes
	// versions. release is its minor in that scheme.
	scheme  *Scheme
	release Minor
	// binary is the version of the binary, if it emulates an older minor.
	binary *parts
}

// writtenMinor is the minor as it was written.
func (p *parts) writtenMinor() Minor {
	switch {
	case p.scheme != nil:
		return p.release
	case p.binary != nil:
		return p.binary.minor
	}
	return p.minor
}

var none parts

// parts returns the parsed data, empty for the zero value.
func (v Version) parts() *parts {
	if v.read == nil {
		return &none
	}
	return v.read
}

// IsZero reports whether v is the zero value.
func (v Version) IsZero() bool { return v.read == nil }

// String returns the version as it was declared, with the minor that it emulates,
// if any.
func (v Version) String() string { return v.parts().declared }

// Minor returns the Kubernetes minor that the version counts as: its own, or an
// older one that it emulates. A pre-release belongs to the minor that it precedes.
func (v Version) Minor() Minor { return v.parts().minor }

// Patch returns the patch number. ok is false if none was declared.
func (v Version) Patch() (patch int, ok bool) { return v.parts().patch, v.parts().hasPatch }

// Prerelease returns the pre-release such as "rc.1", or "".
func (v Version) Prerelease() string { return v.parts().prerelease }

// Build returns the vendor build such as "eks-7f9249a", or "".
func (v Version) Build() string { return v.parts().build }

// Normalized returns the version in the form of https://semver.org: without a
// leading "v", and with the build after "+". It parses to a version that is equal
// except for String.
func (v Version) Normalized() string {
	if v.IsZero() {
		return ""
	}
	s := v.read.writtenMinor().String()
	if v.read.hasPatch {
		s += fmt.Sprintf(".%d", v.read.patch)
	}
	if v.read.prerelease != "" {
		s += "-" + v.read.prerelease
	}
	if v.read.build != "" {
		s += "+" + v.read.build
	}
	return s
}

// Same reports whether two versions stand for the same release and count as the same
// minor. How they are written does not matter: a leading "v", the separator of a build, or
// the numbering. A release of a distribution and a Kubernetes version are the same if they
// have the same minor, because their patches cannot be compared.
func (v Version) Same(w Version) bool {
	a, b := v.parts(), w.parts()
	switch {
	case v.IsZero() != w.IsZero() || a.minor != b.minor:
		return false
	case a.scheme != b.scheme:
		return a.binary == nil && b.binary == nil
	}
	return a.writtenMinor() == b.writtenMinor() && a.patch == b.patch && a.hasPatch == b.hasPatch && a.prerelease == b.prerelease && a.build == b.build
}

// PatchesComparable reports whether the patches of two versions can be compared:
// patches of Kubernetes versions can, patches of another numbering only within the
// same release, and patches of an emulating binary only with the same binary.
func (v Version) PatchesComparable(w Version) bool {
	a, b := v.parts(), w.parts()
	if a.scheme == nil && b.scheme == nil && a.binary == nil && b.binary == nil {
		return true
	}
	return a.minor == b.minor && a.scheme == b.scheme && a.writtenMinor() == b.writtenMinor()
}

// Compare orders versions by the minor they count as, the release as it was
// written, the patch and the pre-release, and returns -1, 0 or 1. A missing patch
// counts as 0, and the zero value is less than any version. Builds of the same
// patch are equal.
func (v Version) Compare(w Version) int {
	switch {
	case v.IsZero() && w.IsZero():
		return 0
	case v.IsZero():
		return -1
	case w.IsZero():
		return 1
	}
	a, b := v.read, w.read
	if order := cmp.Or(a.minor.Compare(b.minor), a.writtenMinor().Compare(b.writtenMinor()), cmp.Compare(a.patch, b.patch)); order != 0 || a.prerelease == b.prerelease {
		return order
	}
	return withPrerelease(a.prerelease).Compare(withPrerelease(b.prerelease))
}

// withPrerelease returns a version of go-version's type, which orders pre-releases. It is
// created on demand: most versions are only asked for their minor, and parsing with
// go-version takes longer than everything else.
func withPrerelease(prerelease string) *goversion.Version {
	s := "0"
	if prerelease != "" {
		s += "-" + prerelease
	}
	return goversion.Must(goversion.NewVersion(s))
}
