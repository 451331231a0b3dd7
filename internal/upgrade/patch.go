package upgrade

import (
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// pick returns the version to use of a minor, beside API servers that run
// already. It is the zero version where none is available.
func (r Request) pick(m version.Minor, now skew.Cluster) version.Version {
	_, exact := r.Target.Patch()
	if m == r.Target.Minor() && (exact || len(r.Available) == 0) {
		return r.Target
	}
	if len(r.Available) > 0 {
		return newestOf(r.Available, m)
	}
	for _, p := range now.Places {
		if v, _ := p.Version(skew.APIServer); v.Minor() == m {
			return v
		}
	}
	return m.Version()
}

// newestOf returns the newest version of a minor; of equal ones, the last,
// for builds have no order but that of the list.
func newestOf(versions []version.Version, m version.Minor) version.Version {
	var newest version.Version
	for _, v := range versions {
		if v.Minor() == m && v.Compare(newest) >= 0 {
			newest = v
		}
	}
	return newest
}

// newestPatch returns the newest version of a minor that is available or, where
// any version may be had, known; or the zero version.
func (r Request) newestPatch(m version.Minor) version.Version {
	if len(r.Available) > 0 || r.Calendar == nil {
		return newestOf(r.Available, m)
	}
	release, _ := r.Calendar.Lookup(m)
	return release.LatestPatch
}

// reached reports whether a version is good enough for the target: of its
// minor, and not older. A build is part of the target if it names one. Of a target
// that names no patch, a pre-release will do where nothing newer can be had.
func (r Request) reached(v version.Version) bool {
	if v.Minor() != r.Target.Minor() {
		return false
	}
	if _, exact := r.Target.Patch(); !exact && len(r.Available) > 0 && newestOf(r.Available, v.Minor()).Compare(v) <= 0 {
		return true
	}
	c := v.Compare(r.Target)
	return c > 0 || c == 0 && (r.Target.Build() == "" || v.Normalized() == r.Target.Normalized())
}
