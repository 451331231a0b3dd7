// Package version reads the versions that people write for Kubernetes
// components and counts the minors between them.
//
// Vendors append builds of their own to an upstream version, behind "-", "+" or
// "~" (v1.31.2-eks-7f9249a, 1.33.4-gke.1350000, v1.31.1+k3s1). By the letter of
// Semantic Versioning the first two would be pre-releases, older than 1.31.2.
// They are not: only alpha, beta and rc are pre-releases here, and a
// pre-release belongs to its own minor. All arithmetic stands on
// github.com/hashicorp/go-version.
package version

import (
	"cmp"
	"fmt"

	goversion "github.com/hashicorp/go-version"
)

// Version is one version as it was declared. The zero value is no version at
// all; only Parse and Minor.Version make others.
type Version struct {
	declared   string
	minor      Minor
	patch      int
	hasPatch   bool
	prerelease string
	build      string
	// core is major.minor.patch: what constraints are checked against.
	core *goversion.Version
}

// IsZero reports whether v is no version.
func (v Version) IsZero() bool { return v.core == nil }

// String returns the version as it was declared.
func (v Version) String() string { return v.declared }

// Minor returns the minor the version belongs to. A pre-release belongs to the
// minor it leads to.
func (v Version) Minor() Minor { return v.minor }

// Patch returns the patch number; ok is false when none was declared.
func (v Version) Patch() (patch int, ok bool) { return v.patch, v.hasPatch }

// Prerelease returns the pre-release such as "rc.1", or "".
func (v Version) Prerelease() string { return v.prerelease }

// Build returns what the vendor appended, such as "eks-7f9249a", or "".
func (v Version) Build() string { return v.build }

// Normalized returns the version in the spelling of https://semver.org: no
// leading "v", builds behind "+". It parses to a version that is equal in every
// part but String.
func (v Version) Normalized() string {
	if v.IsZero() {
		return ""
	}
	s := v.minor.String()
	if v.hasPatch {
		s += fmt.Sprintf(".%d", v.patch)
	}
	if v.prerelease != "" {
		s += "-" + v.prerelease
	}
	if v.build != "" {
		s += "+" + v.build
	}
	return s
}

// Compare orders versions by major, minor, patch and pre-release, and returns
// -1, 0 or 1. A missing patch counts as 0, and no version at all as less than
// any. Builds of one patch have no order.
func (v Version) Compare(w Version) int {
	switch {
	case v.IsZero() && w.IsZero():
		return 0
	case v.IsZero():
		return -1
	case w.IsZero():
		return 1
	}
	if c := cmp.Or(v.minor.Compare(w.minor), cmp.Compare(v.patch, w.patch)); c != 0 {
		return c
	}
	return v.released().Compare(w.released())
}

// released is the version without its build.
func (v Version) released() *goversion.Version {
	if v.prerelease == "" {
		return v.core
	}
	return goversion.Must(goversion.NewVersion(v.core.String() + "-" + v.prerelease))
}
