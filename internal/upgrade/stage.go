// SPDX-License-Identifier: MPL-2.0

package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// batch selects the moves that form the next stage. They have the same role and the same
// version. Moves to the version furthest from the target come first, because units at
// that version can join a later stage.
func (s state) batch(moves []unitMove) []unitMove {
	var first unitMove
	for i, m := range moves {
		if i == 0 || m.role < first.role || m.role == first.role && s.distance(m.to.Minor()) > s.distance(first.to.Minor()) {
			first = m
		}
	}
	var batch []unitMove
	known := map[int]bool{}
	for _, m := range moves {
		if m.role == first.role && m.to.String() == first.to.String() && !known[m.index] {
			known[m.index] = true
			batch = append(batch, m)
		}
	}
	if s.leavesBehind(batch) {
		components := s.components(first)
		batch = slices.DeleteFunc(batch, func(m unitMove) bool { return !slices.Equal(s.components(m), components) })
	}
	if len(s.worsePairs(batch)) > 0 {
		batch = []unitMove{first}
	}
	return batch
}

// components lists the components of a move.
func (s state) components(m unitMove) []string {
	var names []string
	for _, i := range m.instances {
		names = append(names, s.instances[i].component)
	}
	return names
}

// leavesBehind reports whether a component moves at one place of a stage but keeps an
// older or newer version at another.
func (s state) leavesBehind(batch []unitMove) bool {
	places, components, moving := map[int]bool{}, map[string]bool{}, map[int]bool{}
	for _, m := range batch {
		places[m.place] = true
		for _, i := range m.instances {
			components[s.instances[i].component], moving[i] = true, true
		}
	}
	for i, in := range s.instances {
		if in.unit != noUnit && s.units[in.unit].role == batch[0].role && places[in.place] && components[in.component] && !moving[i] && s.versions[i].String() != batch[0].to.String() {
			return true
		}
	}
	return false
}

// newStage describes a batch of moves that leads to another state.
func (s state) newStage(batch []unitMove, after state) Stage {
	stage := Stage{Kind: batch[0].role.kind(), To: batch[0].to}
	noted := map[string]bool{}
	for _, m := range batch {
		stage.Locations = append(stage.Locations, s.locations(m.unit)...)
		for _, i := range m.instances {
			component, v := s.instances[i].component, s.versions[i]
			stage.From = append(stage.From, v)
			if !slices.Contains(stage.Components, component) {
				stage.Components = append(stage.Components, component)
			}
			if (finding.Change{From: v, To: m.to}).MovesMinor() && !noted[component] {
				noted[component] = true
				stage.MoveNotes = append(stage.MoveNotes, s.Policy.NotesFor(component)...)
			}
			_, declared := v.Patch()
			if newest := s.newestPatch(v.Minor()); declared && component == skew.APIServer && v.Minor() != m.to.Minor() && newest.Compare(v) > 0 {
				stage.NewestBefore = newest
			}
		}
	}
	for p := range s.changedPairs(batch, after) {
		stage.Repairs = stage.Repairs || s.check(p) != finding.Within && after.check(p) == finding.Within
	}
	stage.rollouts = s.rollouts(batch)
	stage.controlPlaneStep = batch[0].role == apiServer
	stage.Locations = finding.Distinct(stage.Locations)
	slices.SortFunc(stage.From, func(a, b version.Version) int {
		return cmp.Or(a.Compare(b), strings.Compare(a.String(), b.String()))
	})
	stage.From = slices.CompactFunc(stage.From, func(a, b version.Version) bool { return a.String() == b.String() })
	return stage
}

// rollouts counts the node pools that move.
func (s state) rollouts(moves []unitMove) int {
	n := 0
	for _, m := range moves {
		if m.role == nodePool {
			n += len(s.represented[m.place])
		}
	}
	return n
}

// onlyErrors returns the findings with severity error.
func onlyErrors(findings []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Severity != policy.SeverityError })
}
