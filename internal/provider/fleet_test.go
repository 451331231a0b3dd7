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
			all = append(all, format(d))
		}
	}
	return all
}

// TestFleetAdoptsChanges applies enforcement_level "changes" to fleets in which a third of
// the clusters violate their policy. Afterwards, a change is refused if and only if it
// makes a cluster worse or takes a step that is not allowed.
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
				t.Fatalf("the first apply of %+v is refused: %s", c, errorsOf(diags))
			}
			if _, diags := s.plan(before, before); len(errorsOf(diags)) > 0 {
				t.Fatalf("an unchanged plan of %+v is refused: %s", c, errorsOf(diags))
			}
			// The step starts from the versions in state, or from observed if the first
			// plan already makes the change.
			for start, prior := range map[string]object{"state": before, "observed": nil} {
				config := after
				if prior == nil {
					config = with(after, "observed", object{"control_plane_version": before["control_plane_version"], "node_pools": before["node_pools"]})
				}
				_, diags := s.plan(config, prior)
				if got, want := len(errorsOf(diags)) > 0, c.Refuses(to); got != want {
					t.Fatalf("from %+v in %s to %+v: refused is %v, want %v: %s", c, start, to, got, want, strings.Join(errorsOf(diags), "; "))
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
			t.Fatalf("too few of one kind: %d of %d clusters are broken, %d changes are refused", broken, len(clusters), refused)
		}
	}
}

// fleets is the number of random fleets.
var fleets = flag.Int("fleets", 2, "number of random fleets of TestFleetAdoptsChanges")

// fleetConfig returns the validation of a cluster.
func fleetConfig(c fleet.Cluster) object {
	pools := object{}
	for name, minor := range c.Pools {
		pools[name] = pool(fleet.Minor(minor))
	}
	return object{"policy": c.Policy, "control_plane_version": fleet.Minor(c.ControlPlane), "node_pools": pools, "enforcement_level": "changes"}
}

// TestChangesLevelRepairs checks that with enforcement_level "changes", a plan that repairs
// one of two violations passes, and a plan that replaces a violation by another does not.
func TestChangesLevelRepairs(t *testing.T) {
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
		"a pool gets closer to its limit":              {at("1.26"), at("1.27"), false},
		"one pool is repaired, another gets worse":     {at("1.27", "1.31"), at("1.31", "1.27"), true},
		"a pool that was too old is too new":           {at("1.27"), at("1.32"), true},
		"one of two instances is repaired":             {declared("1.27", "1.27"), declared("1.31", "1.27"), false},
		"one instance is repaired, another gets worse": {declared("1.27", "1.31"), declared("1.31", "1.27"), true},
		"a kubelet is repaired, a kubectl gets worse":  {at("1.27"), with(at("1.31"), "kubectl", []any{"1.27"}), true},
		"one kube-proxy is repaired, a pool is not":    {with(at("1.27"), "kube_proxy", "1.27"), with(at("1.27"), "kube_proxy", "1.28"), false},
		"the kube-proxy is declared for each pool":     {with(at("1.31"), "kube_proxy", "1.27"), object{"control_plane_version": "1.31", "node_pools": object{"a": object{"kubelet": "1.31", "kube_proxy": "1.27"}}}, false},
		"the control plane is declared by instance":    {at("1.27"), object{"control_plane": object{"a": object{"version": "1.31"}}, "node_pools": object{"a": pool("1.27")}}, false},
		"one of two pools is removed":                  {at("1.27", "1.27"), at("1.27"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, observed := range []bool{false, true} {
				from, to := with(tt.from, "enforcement_level", "changes"), with(tt.to, "enforcement_level", "changes")
				if observed {
					to = with(to, "observed", tt.from)
				}
				_, diags := serve(t, nil).plan(to, from)
				if got := errorsOf(diags); (len(got) > 0) != tt.refused {
					t.Errorf("got errors %v, want refused: %v (with observed: %v)", got, tt.refused, observed)
				}
			}
		})
	}
}

// TestNotesOnOldViolations checks that a warning about a violation states whether the
// violation existed before, or that this is not known. Advice states neither.
func TestNotesOnOldViolations(t *testing.T) {
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27"), "old": pool("1.28")}, "enforcement_level": "changes"}
	for name, tt := range map[string]struct {
		config, prior object
		note          string
	}{
		"unchanged":      {broken, broken, "This violation existed before the plan, which does not make it worse."},
		"nothing before": {broken, nil, "It is not known whether this violation existed before, so it is only a warning."},
		"unknown before": {with(broken, "observed", object{"control_plane_version": "1.31", "node_pools": unknown}), broken,
			"It is not known whether this violation existed before, so it is only a warning."},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, tt.prior)
			violations, advice := 0, 0
			for _, d := range diags {
				hasNote := strings.Contains(d.Detail, "\n\n"+tt.note+"\n\nRule ")
				switch {
				case strings.Contains(d.Summary, "too old"):
					violations++
				case strings.Contains(d.Detail, "\n\nRule "):
					advice++
				}
				if hasNote != strings.Contains(d.Summary, "too old") {
					t.Errorf("%s: %s", d.Summary, d.Detail)
				}
			}
			if violations == 0 || advice == 0 {
				t.Errorf("%d violations and %d advisories, want some of both", violations, advice)
			}
		})
	}
}
