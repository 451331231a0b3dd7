// SPDX-License-Identifier: MPL-2.0

package version

// Matches reports whether two versions can be the same one: they are equal as far as
// both are declared, to the minor, the patch or the build. An emulated version does
// not matter, because it is not what a platform installs.
func (v Version) Matches(w Version) bool {
	v, w = v.Binary(), w.Binary()
	a, b := v.parts(), w.parts()
	switch {
	case v.IsZero() || w.IsZero() || a.minor != b.minor:
		return false
	case a.scheme == b.scheme && a.release != b.release:
		return false // two releases of one Kubernetes minor
	case a.hasPatch && b.hasPatch && v.PatchesComparable(w) && (a.patch != b.patch || a.prerelease != b.prerelease):
		return false
	case a.hasPatch != b.hasPatch || !v.PatchesComparable(w):
		return true // builds belong to a patch
	}
	return a.build == b.build || a.build == "" || b.build == ""
}

// Includes reports whether v stands for w: they match, and v is declared no more
// precisely than w.
func (v Version) Includes(w Version) bool {
	a, b := v.Binary().parts(), w.Binary().parts()
	return v.Matches(w) && (!a.hasPatch || b.hasPatch) && (a.build == "" || b.build != "")
}
