// SPDX-License-Identifier: MPL-2.0

package skew

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// run is a sequence of breakpoints that are allowed with all their patches.
type run struct{ first, last int }

// fullyAllowed returns a range in which the bounds allow every version. It returns nil
// if the whole window is such a range, because it has no gaps and no minor with both
// allowed and forbidden patches.
func fullyAllowed(bounds *intersection, points []version.Minor, allowed []bool, major *int, near *version.Minor, w finding.Window) *finding.Range {
	patches := patchesOf(bounds.list)
	var runs []run
	whole := len(w.Except) == 0
	for i, m := range points {
		patchesDiffer := patches.matter && !allPatches(bounds, patches, w.Numbers, m)
		if patchesDiffer && (allowed[i] || w.Empty) {
			whole = false
		}
		switch n := len(runs) - 1; {
		case !allowed[i] || patchesDiffer:
		case n >= 0 && runs[n].last == i-1:
			runs[n].last = i
		default:
			runs = append(runs, run{i, i})
		}
	}
	if whole {
		return nil
	}
	if len(runs) == 0 {
		if some := somePatches(bounds, patches, w.Numbers, points); some != nil || w.Empty {
			return some
		}
		// A minor is only allowed without a patch, because all its patches are forbidden.
		return &finding.Range{Empty: true}
	}
	best := slices.MaxFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.holds(points, near), b.holds(points, near)), cmp.Compare(a.length(points), b.length(points)), cmp.Compare(a.first, b.first))
	})
	return best.bounds(points, major)
}

// holds returns 1 if the run contains a minor, and 0 otherwise.
func (r run) holds(points []version.Minor, m *version.Minor) int {
	if m != nil && (r.first == 0 || points[r.first].Compare(*m) <= 0) && (r.last == len(points)-1 || m.Compare(points[r.last+1]) < 0) {
		return 1
	}
	return 0
}

// length returns the number of minors of a run. A run without an end is longer than
// any other.
func (r run) length(points []version.Minor) int {
	n, same := points[r.last].Skew(points[r.first])
	if !same || r.first == 0 || r.last == len(points)-1 {
		return endless
	}
	return n
}

// bounds returns the start and the end of a run.
func (r run) bounds(points []version.Minor, major *int) *finding.Range {
	var bounds finding.Range
	if r.first > 0 || major != nil && points[0].Minor == 0 {
		bounds.From = points[r.first].Version()
	}
	switch last := points[r.last]; {
	case last.Minor == endless:
		bounds.Below = version.Minor{Major: last.Major + 1}.Version()
	case r.last < len(points)-1:
		bounds.Below = points[r.last+1].Version()
	}
	return &bounds
}

// patches are the patches at and around which the result of bounds may change within a
// minor.
type patches struct {
	// matter is false if all patches of a minor are treated alike.
	matter     bool
	everywhere []int
	in         map[version.Minor][]int
}

// of lists the patches for a minor, in order.
func (p patches) of(m version.Minor) []int {
	all := slices.Concat([]int{0}, p.everywhere, p.in[m], []int{version.MaxNumber})
	slices.Sort(all)
	return slices.Compact(all)
}

// patchesOf returns the patches of bounds.
func patchesOf(bounds []Bound) patches {
	p := patches{in: map[version.Minor][]int{}}
	around := func(n int) []int { return []int{max(0, n-1), n, min(n+1, version.MaxNumber)} }
	for _, b := range bounds {
		if n, declared := b.Other.Patch(); b.Rule.ComparesPatch() && declared {
			p.matter = true
			p.everywhere = append(p.everywhere, around(n)...)
		}
		for c := range b.constraints {
			for _, v := range c.Patches() {
				n, _ := v.Patch()
				p.matter = true
				p.in[v.Minor()] = append(p.in[v.Minor()], around(n)...)
			}
		}
	}
	slices.Sort(p.everywhere)
	p.everywhere = slices.Compact(p.everywhere)
	return p
}

// allPatches reports whether all patches of a minor, written in a numbering, are
// allowed.
func allPatches(bounds *intersection, patches patches, in version.Numbering, m version.Minor) bool {
	return bounds.allows(m.Version()) && !slices.ContainsFunc(patches.of(m), func(n int) bool { return !bounds.allows(in.WithPatch(m, n)) })
}

// somePatches returns the newest sequence of allowed patches, for bounds that do
// not allow all patches of any minor. It is nil if no patch is allowed.
func somePatches(bounds *intersection, patches patches, in version.Numbering, points []version.Minor) *finding.Range {
	for _, m := range slices.Backward(points) {
		all, last := patches.of(m), -1
		for i := len(all) - 1; i >= 0; i-- {
			ok := bounds.allows(in.WithPatch(m, all[i]))
			if ok && last < 0 {
				last = i
			}
			if last < 0 || ok && i > 0 {
				continue
			}
			first := i
			if !ok {
				first++
			}
			found := &finding.Range{From: m.WithPatch(all[first]), Below: m.WithPatch(all[last] + 1)}
			if all[last] == version.MaxNumber {
				found.Below = m.Add(1).Version()
			}
			return found
		}
	}
	return nil
}
