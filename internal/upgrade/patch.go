// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// candidates returns the versions of a minor that a unit can move to, newest first.
func (s state) candidates(u unit, m version.Minor) []version.Version {
	all := s.unlimitedCandidates(u, m)
	if u.limit.IsZero() || m.Compare(u.limit.Minor()) < 0 {
		return all
	}
	var within []version.Version
	for _, v := range all {
		if _, exact := v.Patch(); !exact && m == u.limit.Minor() {
			v = u.limit // any patch of the minor, or the one that is the limit
		}
		if !exceeds(v, u.limit) {
			within = append(within, v)
		}
	}
	return within
}

// unlimitedCandidates returns the candidates regardless of the limit of the unit.
func (s state) unlimitedCandidates(u unit, m version.Minor) []version.Version {
	_, exact := s.Target.Patch()
	atTarget := m == s.Target.Minor()
	running := s.version(u)
	if binary := running.Binary(); binary != running && m.Compare(binary.Minor()) <= 0 {
		// The binary has this minor already. Only the emulated version moves.
		if v, err := binary.Emulating(m.Version()); err == nil {
			return []version.Version{v}
		}
	}
	available, listed := s.availableTo(u)
	switch {
	case atTarget && exact:
		return []version.Version{s.Target}
	case listed && (len(available[m]) > 0 || s.waived.Accepting(s.notOffered.ID, s.instances[u.instances[0]].location) == nil):
		return available[m]
	}
	plain := running.Numbering().Version(m)
	if atTarget {
		plain = s.Target
	}
	all := []version.Version{plain}
	if u.role != apiServer {
		running := slices.DeleteFunc(s.runningVersions(m, apiServer), func(v version.Version) bool { return v.Binary() != v })
		if all = append(running, plain); atTarget { // a running patch only if a rule requires it
			all = append([]version.Version{plain}, running...)
		}
	}
	rejected := func(v version.Version) bool { return s.rejectedAlone(u, v) }
	if accepted := slices.DeleteFunc(slices.Clone(all), rejected); len(accepted) > 0 {
		return accepted
	}
	if named := slices.DeleteFunc(s.patchesInRules(u, m), rejected); len(named) > 0 {
		return named
	}
	return all
}

// patchesInRules returns the patches of a minor at which the result of rules about single
// instances can change.
func (s state) patchesInRules(u unit, m version.Minor) []version.Version {
	var all []version.Version
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if p.subject != p.reference || !s.version(u).Numbering().IsKubernetes() {
				continue
			}
			for _, v := range p.rule.Requirement.Require.Patches() {
				if patch, _ := v.Patch(); v.Minor() == m {
					all = append(all, v, m.WithPatch(patch+1))
				}
			}
		}
	}
	return all
}

// rejectedAlone reports whether a rule about single instances rejects a version of a unit.
func (s state) rejectedAlone(u unit, v version.Version) bool {
	for _, i := range u.instances {
		for _, p := range s.instances[i].pairs {
			if p.subject == p.reference && skew.Check(p.rule, v, v) != finding.Within {
				return true
			}
		}
	}
	return false
}

// runningVersions returns the versions of a minor that units of the given roles run,
// newest first.
func (s state) runningVersions(m version.Minor, roles ...role) []version.Version {
	var all []version.Version
	for _, r := range roles {
		for _, u := range s.unitsOf(r) {
			for _, i := range u.instances {
				if v := s.instanceVersion(i); v.Minor() == m && !slices.Contains(all, v) {
					all = append(all, v)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b version.Version) int { return -a.Compare(b) })
	return slices.CompactFunc(all, func(a, b version.Version) bool { return a.Same(b) })
}

// availableTo returns the versions that a unit can use, by minor. listed is false if it
// can use any version.
func (p *planner) availableTo(u unit) (available map[version.Minor][]version.Version, listed bool) {
	if p.usesNodeVersions(u) {
		return p.availableNodes, true
	}
	return p.available, len(p.available) > 0
}

// usesNodeVersions reports whether a unit can only use the versions for node pools.
func (p *planner) usesNodeVersions(u unit) bool {
	return u.role == nodePool && len(p.availableNodes) > 0
}

// byMinor groups versions by minor, newest first. Of builds without an order, the last one
// in the list counts as the newest.
func byMinor(versions []version.Version) map[version.Minor][]version.Version {
	minors := map[version.Minor][]version.Version{}
	for _, v := range versions {
		sorted := minors[v.Minor()]
		at := 0
		for at < len(sorted) && compare(v, sorted[at]) < 0 && compare(sorted[at], v) > 0 {
			at++
		}
		minors[v.Minor()] = slices.Insert(sorted, at, v)
	}
	return minors
}

// newestPatch returns the newest available version of a minor. If any version can be
// used, it returns the newest known one. It is zero if there is none.
func (p *planner) newestPatch(m version.Minor) version.Version {
	if len(p.Available) > 0 {
		if all := p.available[m]; len(all) > 0 {
			return all[0]
		}
		return version.Version{}
	}
	if p.Calendar == nil || !p.Target.Numbering().IsKubernetes() {
		return version.Version{}
	}
	release, _ := p.Calendar.Lookup(m)
	return release.LatestPatch
}

// apiServerPatch moves the API servers of a minor to a newer patch: that of the target, the
// newest available one, the newest one that another unit runs, or one that a rule requires. It
// returns nil if this makes a pair worse.
func (s state) apiServerPatch(m version.Minor) []unitMove {
	var to version.Version
	_, exact := s.Target.Patch()
	switch {
	case m == s.Target.Minor() && exact:
		to = s.Target
	case len(s.Available) > 0:
		to = s.newestPatch(m)
	default:
		if running := s.runningVersions(m, controller, controlPlaneNode, nodePool, clusterKubeProxy); len(running) > 0 {
			to = running[0]
		}
	}
	var moves []unitMove
	for _, u := range s.unitsOf(apiServer) {
		if s.version(u).Minor() != m {
			continue
		}
		own := to
		if s.rejectedAlone(u, s.version(u)) && (to.IsZero() || s.rejectedAlone(u, to)) {
			if required := s.candidates(u, m); len(required) > 0 {
				own = required[0]
			}
		}
		if own.IsZero() {
			continue
		}
		if move, ok := s.moveToVersion(u, own, up); ok {
			moves = append(moves, move)
		}
	}
	if len(s.worsePairs(moves)) > 0 {
		return nil
	}
	return moves
}

// satisfiesTarget reports whether a version has the minor of the target and is not older.
// Builds count if the target names one. If the target names no patch, a pre-release
// satisfies it as long as no newer version is available.
func (p *planner) satisfiesTarget(u unit, v version.Version) bool {
	if v.Minor() != p.Target.Minor() {
		return false
	}
	if available, listed := p.availableTo(u); listed {
		_, exact := p.Target.Patch()
		if all := available[v.Minor()]; !exact && (len(all) == 0 || all[0].Compare(v) <= 0) {
			return true
		}
	}
	return compare(v, p.Target) >= 0
}
