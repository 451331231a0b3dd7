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
	// scheme is what the version was written in, and release its minor there; nil
	// for the numbers of Kubernetes.
	scheme  *Scheme
	release Minor
	// binary is the version that runs, where it emulates an older minor.
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

// parts returns what was read; of no version, nothing.
func (v Version) parts() *parts {
	if v.read == nil {
		return &none
	}
	return v.read
}

// IsZero reports whether v is no version.
func (v Version) IsZero() bool { return v.read == nil }

// String returns the version as it was declared, and the minor that it emulates,
// if it does.
func (v Version) String() string { return v.parts().declared }

// Minor returns the Kubernetes minor that the version counts as: the one it belongs
// to, or an older one that it emulates. A pre-release belongs to the minor it leads
// to.
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

// PatchesCompare reports whether the patches of two versions count on one scale:
// those of Kubernetes itself do, those of another numbering only within one of its
// releases, and those of a binary that emulates only beside the same.
func (v Version) PatchesCompare(w Version) bool {
	a, b := v.parts(), w.parts()
	if a.scheme == nil && b.scheme == nil && a.binary == nil && b.binary == nil {
		return true
	}
	return a.minor == b.minor && a.scheme == b.scheme && a.writtenMinor() == b.writtenMinor()
}

// Compare orders versions by the minor that counts, the release as it was written,
// patch and pre-release, and returns -1, 0 or 1. A missing patch counts as 0, and no
// version at all as less than any. Builds of one patch have no order.
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
	return numbered(a.minor, a.patch, a.prerelease).Compare(numbered(b.minor, b.patch, b.prerelease))
}

// numbered is a version as go-version has it, which orders pre-releases and knows
// constraints. It is made when it is asked for: most versions are asked for their
// minor alone, and go-version takes longer to read one than all else that is done
// with it.
func numbered(m Minor, patch int, prerelease string) *goversion.Version {
	s := fmt.Sprintf("%s.%d", m, patch)
	if prerelease != "" {
		s += "-" + prerelease
	}
	return goversion.Must(goversion.NewVersion(s))
}

// kubernetes is the Kubernetes version that constraints are asked about. The patch
// of another numbering, or of an emulating binary, is no patch of that minor.
func (v Version) kubernetes() *goversion.Version {
	p := v.parts()
	if p.writtenMinor() != p.minor {
		return numbered(p.minor, 0, "")
	}
	return numbered(p.minor, p.patch, "")
}
