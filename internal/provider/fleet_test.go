// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/fleet"
)

func errorsOf(diags []*tfprotov6.Diagnostic) (all []string) {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			all = append(all, spell(d))
		}
	}
	return all
}

// TestFleetAdoptsChanges: a fleet of which a third is broken adopts the level
// "changes" in one apply, and from then on a change is refused if and only if it
// makes its cluster worse or takes a step that is not allowed.
func TestFleetAdoptsChanges(t *testing.T) {
	s := serve(t, nil)
	for seed := range uint64(*fleets) {
		clusters := fleet.Random(seed, 200)
		changed := fleet.Change(seed, clusters)
		broken, refused := 0, 0
		for _, name := range slices.Sorted(maps.Keys(clusters)) {
			c, to := clusters[name], changed[name]
			before, after := fleetConfig(c), fleetConfig(to)
			if _, diags := s.apply(before, nil); len(errorsOf(diags)) > 0 {
				t.Fatalf("%+v is refused at its adoption: %s", c, errorsOf(diags))
			}
			if _, diags := s.plan(before, before); len(errorsOf(diags)) > 0 {
				t.Fatalf("%+v is refused without a change: %s", c, errorsOf(diags))
			}
			// From the versions in state, and, adopted in the same plan, from those
			// that run.
			for start, prior := range map[string]object{"state": before, "observed": nil} {
				config := after
				if prior == nil {
					config = with(after, "observed", object{"control_plane_version": before["control_plane_version"], "node_pools": before["node_pools"]})
				}
				_, diags := s.plan(config, prior)
				if got, want := len(errorsOf(diags)) > 0, c.Refuses(to); got != want {
					t.Fatalf("from %+v in %s to %+v: refused %v, want %v: %s", c, start, to, got, want, strings.Join(errorsOf(diags), "; "))
				}
			}
			if c.Broken() {
				broken++
			}
			if c.Refuses(to) {
				refused++
			}
		}
		if broken*3 < len(clusters) || refused < 40 || refused > 160 {
			t.Fatalf("one-sided: %d of %d are broken, %d changes are refused", broken, len(clusters), refused)
		}
	}
}

// fleets is how many random fleets are adopted and changed.
var fleets = flag.Int("fleets", 2, "random fleets that TestFleetAdoptsChanges adopts")

// fleetConfig is the validation of a cluster of a fleet.
func fleetConfig(c fleet.Cluster) object {
	pools := object{}
	for name, minor := range c.Pools {
		pools[name] = pool(fleet.Minor(minor))
	}
	return object{"policy": c.Policy, "control_plane_version": fleet.Minor(c.ControlPlane), "node_pools": pools, "enforcement_level": "changes"}
}

// TestLawsOfChanges: one repair of two passes, one finding is not traded for
// another, wherever they are.
func TestLawsOfChanges(t *testing.T) {
	at := func(kubelets ...any) object {
		pools := object{}
		for i, kubelet := range kubelets {
			pools[string(rune('a'+i))] = pool(kubelet)
		}
		return object{"control_plane_version": "1.31", "node_pools": pools}
	}
	declared := func(kubelets ...any) object {
		instances := object{}
		for i, kubelet := range kubelets {
			instances[string(rune('a'+i))] = object{"version": "1.31", "kubelet": kubelet}
		}
		return object{"control_plane": instances}
	}
	for name, tt := range map[string]struct {
		from, to object
		refused  bool
	}{
		"one of two pools is repaired":                 {at("1.27", "1.27"), at("1.31", "1.27"), false},
		"a pool gets nearer to its limit":              {at("1.26"), at("1.27"), false},
		"a pool is traded for another":                 {at("1.27", "1.31"), at("1.31", "1.27"), true},
		"too old is traded for too new":                {at("1.27"), at("1.32"), true},
		"one of two instances is repaired":             {declared("1.27", "1.27"), declared("1.31", "1.27"), false},
		"an instance is traded for another":            {declared("1.27", "1.31"), declared("1.31", "1.27"), true},
		"a kubelet is traded for a kubectl":            {at("1.27"), with(at("1.31"), "kubectl", []any{"1.27"}), true},
		"one kube-proxy is repaired, a pool is not":    {with(at("1.27"), "kube_proxy", "1.27"), with(at("1.27"), "kube_proxy", "1.28"), false},
		"the kube-proxy is spelled out as it was":      {with(at("1.31"), "kube_proxy", "1.27"), object{"control_plane_version": "1.31", "node_pools": object{"a": object{"kubelet": "1.31", "kube_proxy": "1.27"}}}, false},
		"a control plane is spelled out as it was":     {at("1.27"), object{"control_plane": object{"a": object{"version": "1.31"}}, "node_pools": object{"a": pool("1.27")}}, false},
		"a broken pool is removed, another one is not": {at("1.27", "1.27"), at("1.27"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, observed := range []bool{false, true} {
				from, to := with(tt.from, "enforcement_level", "changes"), with(tt.to, "enforcement_level", "changes")
				if observed {
					to = with(to, "observed", tt.from)
				}
				_, diags := serve(t, nil).plan(to, from)
				if got := errorsOf(diags); (len(got) > 0) != tt.refused {
					t.Errorf("refused %v, want %v (observed: %v)", got, tt.refused, observed)
				}
			}
		})
	}
}

// TestOldFindingsSaySo: a warning of what was wrong before says that it was, and one
// that has nothing to be compared with says that; advice says neither.
func TestOldFindingsSaySo(t *testing.T) {
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27"), "old": pool("1.28")}, "enforcement_level": "changes"}
	for name, tt := range map[string]struct {
		config, prior object
		says          string
	}{
		"before":           {broken, broken, "This was wrong before the plan, which does not make it worse."},
		"without a before": {broken, nil, "Whether this was wrong before is not known, so it is only a warning."},
		"an unknown before": {with(broken, "observed", object{"control_plane_version": "1.31", "node_pools": unknown}), broken,
			"Whether this was wrong before is not known, so it is only a warning."},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, tt.prior)
			violations, advice := 0, 0
			for _, d := range diags {
				said := strings.Contains(d.Detail, "\n\n"+tt.says+"\n\nRule ")
				switch {
				case strings.Contains(d.Summary, "too old"):
					violations++
				case strings.Contains(d.Detail, "\n\nRule "):
					advice++
				}
				if said != strings.Contains(d.Summary, "too old") {
					t.Errorf("%s: %s", d.Summary, d.Detail)
				}
			}
			if violations == 0 || advice == 0 {
				t.Errorf("%d violations, %d advices", violations, advice)
			}
		})
	}
}
