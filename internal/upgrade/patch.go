// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// candidates returns the versions of a minor that a unit may move to, the newest
// first.
func (s state) candidates(u unit, m version.Minor) []version.Version {
	_, exact := s.Target.Patch()
	atTarget := m == s.Target.Minor()
	running := s.version(u)
	if binary := running.Binary(); binary != running && m.Compare(binary.Minor()) <= 0 {
		// The binary is there already: what moves is the version that it emulates.
		if v, err := binary.Emulating(m.Version()); err == nil {
			return []version.Version{v}
		}
	}
	switch {
	case atTarget && (exact || len(s.Available) == 0):
		return []version.Version{s.Target}
	case len(s.Available) > 0:
		return s.available[m]
	}
	var all []version.Version
	if u.role != apiServer {
		all = slices.DeleteFunc(s.runs(m, apiServer), func(v version.Version) bool { return v.Binary() != v })
	}
	return append(all, running.Numbering().Version(m))
}

// runs returns the versions of a minor that some roles run, the newest first.
func (s state) runs(m version.Minor, roles ...role) []version.Version {
	var all []version.Version
	for _, r := range roles {
		for _, u := range s.with(r) {
			for _, i := range u.instances {
				if v := s.at(i); v.Minor() == m && !slices.Contains(all, v) {
					all = append(all, v)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b version.Version) int { return -a.Compare(b) })
	return slices.CompactFunc(all, func(a, b version.Version) bool { return a.Normalized() == b.Normalized() })
}

// availableByMinor sorts the available versions, the newest of each minor first;
// of builds that have no order, the last in the list.
func (r Request) availableByMinor() map[version.Minor][]version.Version {
	minors := map[version.Minor][]version.Version{}
	for _, v := range r.Available {
		sorted := minors[v.Minor()]
		at := 0
		for at < len(sorted) && compare(v, sorted[at]) < 0 && compare(sorted[at], v) > 0 {
			at++
		}
		minors[v.Minor()] = slices.Insert(sorted, at, v)
	}
	return minors
}

// newestPatch returns the newest version of a minor that is available or, where
// any version may be had, known; or the zero version.
func (p *problem) newestPatch(m version.Minor) version.Version {
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

// overshoots reports whether a move leads to what is too new for something: to a
// patch that it does not have yet, or up from where it is too new already. A
// platform refuses that, also where no pair is further from its limit than before.
func (s state) overshoots(m unitMove) bool {
	after := s.afterMove(m)
	for _, i := range m.instances {
		for _, p := range s.instances[i].pairs {
			if p.subject != i || skew.Judge(p.rule, after(i), after(p.reference)) != finding.TooNew {
				continue
			}
			if after(i).Minor() == after(p.reference).Minor() || compare(s.at(i), after(i)) < 0 {
				return true
			}
		}
	}
	return false
}

// newerPatch moves API servers of a minor to the newest patch that they can have.
func (s state) newerPatch(m version.Minor) []unitMove {
	var to version.Version
	_, exact := s.Target.Patch()
	switch {
	case m == s.Target.Minor() && exact:
		to = s.Target
	case len(s.Available) > 0:
		to = s.newestPatch(m)
	default:
		if running := s.runs(m, controller, controlPlaneNode, nodePool, clusterKubeProxy); len(running) > 0 {
			to = running[0]
		}
	}
	var moves []unitMove
	for _, u := range s.with(apiServer) {
		if s.version(u).Minor() != m || to.IsZero() {
			continue
		}
		if move, ok := s.move(u, to, up); ok {
			moves = append(moves, move)
		}
	}
	if len(s.worsePairs(moves)) > 0 {
		return nil
	}
	return moves
}

// reached reports whether a version is good enough for the target: of its
// minor, and not older. A build is part of the target if it names one. Of a target
// that names no patch, a pre-release will do where nothing newer is available.
func (p *problem) reached(v version.Version) bool {
	if v.Minor() != p.Target.Minor() {
		return false
	}
	if _, exact := p.Target.Patch(); !exact && len(p.Available) > 0 && p.newestPatch(v.Minor()).Compare(v) <= 0 {
		return true
	}
	return compare(v, p.Target) >= 0
}
