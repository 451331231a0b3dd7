package skew

import (
	"cmp"
	"slices"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// run is landmarks in a row, all patches of which are allowed.
type run struct{ first, last int }

// certain returns versions all of which the bounds allow, or nil if those of the
// window itself are: if it has no gaps, and if no patch of a
// minor is refused while others are not.
func certain(bounds []Bound, points []version.Minor, allowed []bool, major *int, near *version.Minor, w finding.Window) *finding.Range {
	patches := patchesOf(bounds)
	var runs []run
	whole := len(w.Except) == 0
	for i, m := range points {
		patchesDiffer := patches != nil && m.Minor != endless && !allPatches(bounds, patches, w.Numbers, m)
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
		// A minor is allowed as long as nobody says its patch, and none of its patches is.
		return &finding.Range{Empty: true}
	}
	best := slices.MaxFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.holds(points, near), b.holds(points, near)), cmp.Compare(a.length(points), b.length(points)), cmp.Compare(a.first, b.first))
	})
	return best.bounds(points, major)
}

// holds is 1 if a minor is among those of the run, and 0 otherwise.
func (r run) holds(points []version.Minor, m *version.Minor) int {
	if m != nil && (r.first == 0 || points[r.first].Compare(*m) <= 0) && (r.last == len(points)-1 || m.Compare(points[r.last+1]) < 0) {
		return 1
	}
	return 0
}

// length counts the minors of a run; one that has no end is longer than any.
func (r run) length(points []version.Minor) int {
	n, same := points[r.last].Skew(points[r.first])
	if !same || r.first == 0 || r.last == len(points)-1 {
		return endless
	}
	return n
}

// bounds is where a run starts and ends.
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

// patchesOf lists the patches at and around which what bounds allow may change
// within some minor, in order; nil where all patches of a minor are alike.
func patchesOf(bounds []Bound) []int {
	var all []int
	add := func(v version.Version) {
		if n, declared := v.Patch(); declared {
			all = append(all, max(0, n-1), n, min(n+1, version.MaxNumber))
		}
	}
	addNamed := func(subject, reference version.Constraint, otherIsSubject bool) {
		named := subject
		if otherIsSubject {
			named = reference
		}
		for _, v := range named.Patches() {
			add(v)
		}
	}
	for _, b := range bounds {
		if b.Rule.ComparePatch {
			add(b.Other)
		}
		for _, c := range b.Rule.Conditions {
			addNamed(c.Subject, c.Reference, b.OtherIsSubject)
		}
		if q := b.Rule.Requirement; q != nil {
			addNamed(q.When, q.Require, b.OtherIsSubject)
		}
	}
	if all == nil {
		return nil
	}
	slices.Sort(all)
	return slices.Compact(append(append([]int{0}, all...), version.MaxNumber))
}

// allPatches reports whether a minor is allowed in all its patches, as they are
// written in some numbers.
func allPatches(bounds []Bound, patches []int, in version.Numbering, m version.Minor) bool {
	return allAllow(bounds, m.Version()) && !slices.ContainsFunc(patches, func(n int) bool { return !allAllow(bounds, in.WithPatch(m, n)) })
}

// somePatches is the newest patches in a row that are allowed, where no minor is
// in all of its patches; nil if none is.
func somePatches(bounds []Bound, patches []int, in version.Numbering, points []version.Minor) *finding.Range {
	for _, m := range slices.Backward(points) {
		last := -1
		for i := len(patches) - 1; i >= 0 && m.Minor != endless; i-- {
			ok := allAllow(bounds, in.WithPatch(m, patches[i]))
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
			found := &finding.Range{From: m.WithPatch(patches[first]), Below: m.WithPatch(patches[last] + 1)}
			if patches[last] == version.MaxNumber {
				found.Below = m.Add(1).Version()
			}
			return found
		}
	}
	return nil
}
