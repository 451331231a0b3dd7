// Package version reads the versions that people write for Kubernetes
// components and counts the minors between them.
//
// Vendors append builds of their own to an upstream version, behind "-", "+" or
// "~" (v1.31.2-eks-7f9249a, 1.33.4-gke.1350000, v1.31.1+k3s1). By the letter of
// Semantic Versioning the first two would be pre-releases, older than 1.31.2.
// They are not: only alpha, beta and rc are pre-releases here, and a
// pre-release belongs to its own minor. Constraints, and the order of
// pre-releases, are those of github.com/hashicorp/go-version.
package version

import (
	"cmp"
	"fmt"

	goversion "github.com/hashicorp/go-version"
)

// Version is one version as it was declared. The zero value is no version at
// all; only Parse and Minor.Version make others. Copies share what was read, so
// that thousands of instances at one version take little room.
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
}

var none parts

// parts returns what was read; of no version, nothing.
func (v Version) parts() *parts {
	if v.read == nil {
		return &none
	}
	return v.read
}

// IsZero reports whether v is no version.
func (v Version) IsZero() bool { return v.read == nil }

// String returns the version as it was declared.
func (v Version) String() string { return v.parts().declared }

// Minor returns the minor the version belongs to. A pre-release belongs to the
// minor it leads to.
func (v Version) Minor() Minor { return v.parts().minor }

// Patch returns the patch number; ok is false when none was declared.
func (v Version) Patch() (patch int, ok bool) { return v.parts().patch, v.parts().hasPatch }

// Prerelease returns the pre-release such as "rc.1", or "".
func (v Version) Prerelease() string { return v.parts().prerelease }

// Build returns what the vendor appended, such as "eks-7f9249a", or "".
func (v Version) Build() string { return v.parts().build }

// Normalized returns the version in the spelling of https://semver.org: no
// leading "v", builds behind "+". It parses to a version that is equal in every
// part but String.
func (v Version) Normalized() string {
	if v.IsZero() {
		return ""
	}
	s := v.read.minor.String()
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
	if v.read.prerelease == w.read.prerelease {
		return cmp.Or(v.read.minor.Compare(w.read.minor), cmp.Compare(v.read.patch, w.read.patch))
	}
	return v.numbered(v.read.prerelease).Compare(w.numbered(w.read.prerelease))
}

// numbered is major, minor and patch as go-version has them, which orders
// pre-releases and knows constraints. It is made when it is asked for: most
// versions are asked for their minor alone, and go-version takes longer to read
// one than all else that is done with it.
func (v Version) numbered(prerelease string) *goversion.Version {
	s := fmt.Sprintf("%s.%d", v.read.minor, v.read.patch)
	if prerelease != "" {
		s += "-" + prerelease
	}
	return goversion.Must(goversion.NewVersion(s))
}
