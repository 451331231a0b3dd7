// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

const (
	tooOld     = "kubelet 1.27 is too old for kube-apiserver 1.31"
	notAllYet  = "warning at : Not everything could be checked at plan time"
	nothingYet = "warning at : Nothing could be checked at plan time"
	notInStep  = "kubelet 1.27 and kube-apiserver 1.30 cannot both move to 1.31 in one step"
	notSkipped = "kube-apiserver cannot go from 1.30 to 1.32 in one step"
)

func TestValidationReportsInvalidInput(t *testing.T) {
	s := serve(t, nil)
	for name, tt := range map[string]struct {
		config object
		want   []string
	}{
		"valid":                {object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.30")}}, nil},
		"nothing":              {object{}, nil},
		"an alias":             {object{"control_plane_version": "latest"}, []string{`error at control_plane_version: Invalid version "latest"`}},
		"several errors":       {object{"control_plane_version": "", "node_pools": object{"a": pool("1.x"), "b": object{"kube_proxy": "125"}}, "kubectl": []any{"1.31", "v1"}}, []string{`error at control_plane_version: Invalid version ""`, `error at node_pools["a"]: Invalid version "1.x"`, `error at node_pools["b"]: Invalid version "125". Did you mean "1.25"?`, `error at kubectl[1]: Invalid version "v1"`}},
		"in an instance":       {object{"control_plane": object{"cp-0": object{"version": "1.31", "kube_scheduler": "01.2.3"}}}, []string{`error at control_plane["cp-0"]: Invalid version "01.2.3"`}},
		"in a component":       {object{"components": object{"istiod": []any{"1.23", "1. 24"}}}, []string{`error at components["istiod"]: Invalid version "1. 24"`}},
		"in observed":          {object{"observed": object{"node_pools": object{"a": pool("x")}}}, []string{`error at observed: Invalid version "x"`}},
		"both control planes":  {object{"control_plane_version": "1.31", "control_plane": object{"a": object{"version": "1.31"}}}, []string{"error at control_plane_version: Conflicting attributes: control_plane_version and control_plane"}},
		"empty instance":       {object{"control_plane": object{"a": object{}}}, nil},
		"empty pool":           {object{"node_pools": object{"a": object{}}}, nil},
		"null pool":            {object{"node_pools": object{"a": nil}}, nil},
		"pool without a name":  {object{"node_pools": object{"": pool("1.31")}}, []string{"error at node_pools: Empty name"}},
		"null client":          {object{"kubectl": []any{nil}}, []string{"error at kubectl[0]: Missing version"}},
		"unknown endpoint":     {object{"apiserver_endpoint": "public"}, []string{`error at apiserver_endpoint: Invalid apiserver_endpoint "public"`}},
		"unknown match policy": {object{"admission_webhooks": object{"w": object{"match_policy": "equivalent"}}}, []string{`error at admission_webhooks["w"]: Invalid match_policy "equivalent". Did you mean "Equivalent"?`}},
		"an invalid date":      {object{"as_of": "2026-02-30"}, []string{`error at as_of: Invalid date "2026-02-30"`}},
		"a date too early":     {object{"as_of": "1800-01-01"}, []string{`error at as_of: Invalid date "1800-01-01"`}},
		"unknown policy":       {object{"policy": "kubernets"}, []string{`error at policy: Unknown policy "kubernets". Did you mean "kubernetes"?`}},
		"a policy with errors": {object{"policy": `{"extends": "kubernetes", "skew_rules": {"kubelet-apiserver": {"max_oldr": 1}}}`}, []string{`error at policy: Invalid policy: unknown field. Did you mean "max_older"?`}},
		"waivers": {object{"waivers": object{
			"a": object{"rule": "", "reason": " "}, "b": object{"rule": "kubelet-apiserver", "reason": "x", "expires": "soon"}, "c": object{"rule": "kubelet-apiserver", "reason": "x", "expires": "2028-02-29"},
		}}, []string{`error at waivers["a"]: Missing rule`, `error at waivers["a"]: Missing reason`, `error at waivers["b"]: Invalid date "soon"`}},
		"unknown enforcement": {object{"enforcement_level": "soft"}, []string{`error at enforcement_level: Invalid enforcement_level "soft"`}},
		"everything unknown":  {object{"control_plane_version": unknown, "control_plane": unknown, "node_pools": unknown, "kubectl": []any{unknown}, "components": object{"x": unknown}, "observed": unknown, "policy": unknown, "as_of": unknown, "apiserver_endpoint": unknown, "admission_webhooks": unknown, "enforcement_level": unknown, "waivers": unknown}, nil},
	} {
		t.Run(name, func(t *testing.T) { expect(t, s.validate(tt.config), tt.want...) })
	}
}

func TestInvalidVersionDetail(t *testing.T) {
	diags := serve(t, nil).validate(object{"node_pools": object{"gpu": pool("1.x")}})
	for _, want := range []string{`node_pools["gpu"].kubelet`, `"1.x"`, `"x" is not a number`, `"1.31.4"`} {
		if !strings.Contains(diags[0].Detail, want) {
			t.Errorf("the detail %q does not contain %s", diags[0].Detail, want)
		}
	}
}

// TestPlan checks first plans, which have no prior state, later plans, and plans with unknown
// values.
func TestPlan(t *testing.T) {
	cp0 := func(fields object) object { return object{"cp-0": fields} }
	for name, tt := range map[string]struct {
		prior, config object
		want          []string
	}{
		"a bad combination": {nil, object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.30"), "gpu": pool("1.27")}},
			[]string{`error at node_pools["gpu"]: ` + tooOld}},
		"several findings": {object{"control_plane_version": "1.30"},
			object{"control_plane_version": "1.32", "node_pools": object{"gpu": pool("1.33")}, "kubectl": []any{"1.32", "1.30"}, "components": object{"kubelet": []any{"1.28"}}},
			[]string{
				"error at control_plane_version: " + notSkipped,
				"error at kubectl[1]: kubectl 1.30 is too old for kube-apiserver 1.32",
				`error at components["kubelet"]: kubelet 1.28 is too old for kube-apiserver 1.32`,
				`error at node_pools["gpu"]: kubelet 1.33 is too new for kube-apiserver 1.32`,
			}},
		"a combination without a change": {object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
			object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}, []string{`error at node_pools["gpu"]: ` + tooOld}},
		"a step from state":            {object{"control_plane_version": "1.30"}, object{"control_plane_version": "1.32"}, []string{"error at control_plane_version: " + notSkipped}},
		"no step without a state":      {nil, object{"control_plane_version": "1.32"}, nil},
		"a step from observed":         {nil, object{"control_plane_version": "1.32", "observed": object{"control_plane_version": "1.30"}}, []string{"error at control_plane_version: " + notSkipped}},
		"observed outranks the state":  {object{"control_plane_version": "1.30"}, object{"control_plane_version": "1.32", "observed": object{"control_plane_version": "1.31"}}, nil},
		"a step without a valid order": {object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}}, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.31")}}, []string{`error at node_pools["gpu"]: ` + notInStep}},
		"a broken state can be repaired": {object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
			object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.31")}}, nil},
		"an invalid version in the state": {object{"control_plane_version": "banana"}, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
			[]string{"warning at : The step is not checked: the state contains an invalid version", `error at node_pools["gpu"]: ` + tooOld}},
		"a component without a rule": {nil, object{"control_plane_version": "1.31", "components": object{"istiod": []any{"1.23"}}},
			[]string{`warning at components["istiod"]: No rule for istiod`}},
		"the largest version": {nil, object{"control_plane_version": "1.999999999", "node_pools": object{"a": pool("1.31")}}, []string{`error at node_pools["a"]: kubelet 1.31 is too old for kube-apiserver 1.999999999`}},
		"advisory": {nil, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "enforcement_level": "advisory"},
			[]string{`warning at node_pools["gpu"]: ` + tooOld}},

		"an unknown pool": {nil, object{"control_plane_version": "1.31", "node_pools": object{"a": pool(unknown), "b": unknown, "gpu": pool("1.27")}},
			[]string{`error at node_pools["gpu"]: ` + tooOld, notAllYet}},
		"an unknown control plane":             {nil, object{"control_plane_version": unknown, "node_pools": object{"a": object{"kubelet": "1.27", "kube_proxy": "1.31"}}}, []string{`error at node_pools["a"]: kube-proxy 1.31 is too new for kubelet 1.27`, notAllYet}},
		"an unknown instance":                  {nil, object{"control_plane": object{"a": object{"version": "1.31"}, "b": object{"version": unknown}, "c": object{"kube_apiserver": "1.29"}}}, []string{`error at control_plane["c"]: kube-apiserver 1.29 and 1.31 are too far apart`, notAllYet}},
		"an unknown map":                       {nil, object{"control_plane_version": "1.31", "node_pools": unknown, "kubectl": []any{"1.29"}}, []string{"error at kubectl[0]: kubectl 1.29 is too old for kube-apiserver 1.31", notAllYet}},
		"an unknown list":                      {nil, object{"control_plane_version": "1.31", "kubectl": unknown, "components": object{"kubelet": unknown}}, []string{notAllYet}},
		"an unknown endpoint":                  {nil, object{"apiserver_endpoint": unknown, "control_plane": object{"a": object{"version": "1.31"}, "b": object{"version": "1.30"}}}, []string{notAllYet}},
		"an unknown local API server":          {nil, object{"apiserver_endpoint": "local", "control_plane": object{"a": object{"kube_apiserver": unknown, "kube_scheduler": "1.31"}, "b": object{"version": "1.30"}}}, []string{notAllYet}},
		"a step with an unknown pool":          {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.27")}}, object{"control_plane_version": "1.31", "node_pools": object{"a": pool(unknown)}}, []string{"error at node_pools[\"a\"]: kubelet 1.27 would be too old for kube-apiserver 1.31 partway through this apply", notAllYet}},
		"a step with an unknown pool in range": {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.28")}}, object{"control_plane_version": "1.31", "node_pools": object{"a": pool(unknown)}}, []string{notAllYet}},
		"a step with unknown pools":            {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.27")}}, object{"control_plane_version": "1.32", "node_pools": unknown}, []string{"error at control_plane_version: " + notSkipped, notAllYet}},
		"a step to an unknown version":         {object{"control_plane": cp0(object{"version": "1.30"})}, object{"control_plane_version": unknown}, []string{nothingYet}},
		"a step from unknown versions":         {object{"control_plane_version": "1.28"}, object{"control_plane_version": "1.31", "observed": unknown}, []string{notAllYet}},
		"a step from partly unknown versions":  {nil, object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}, "observed": object{"control_plane_version": unknown, "node_pools": object{"a": pool("1.27")}}}, []string{notAllYet}},
		"a new instance and an unknown one":    {nil, object{"control_plane": object{"b": object{"version": "1.32"}}, "observed": object{"control_plane": object{"a": object{"version": unknown}, "c": object{"version": "1.30"}}}}, []string{notAllYet}},
		"an unknown enforcement level":         {nil, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "enforcement_level": unknown}, []string{`warning at node_pools["gpu"]: ` + tooOld, notAllYet}},
		"an unknown policy":                    {nil, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "policy": unknown}, []string{nothingYet}},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, tt.prior)
			expect(t, diags, tt.want...)
		})
	}
}

// TestWaivers checks that a waived error is a warning that quotes the reason, that a waiver
// only affects its rule and locations, and that a waiver without effect causes a warning.
func TestWaivers(t *testing.T) {
	s := serve(t, nil)
	broken := object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27"), "b": pool("1.27")}, "as_of": "2024-09-15"}
	waiver := func(rule, expires string, locations ...any) object {
		w := object{"rule": rule, "reason": "Moves with the move to arm64."}
		if expires != "" {
			w["expires"] = expires
		}
		if len(locations) > 0 {
			w["locations"] = locations
		}
		return w
	}
	for name, tt := range map[string]struct {
		waivers object
		want    []string
	}{
		"all":         {object{"w": waiver("kubelet-apiserver", "")}, []string{`warning at node_pools["a"]: Waived: ` + tooOld}},
		"one":         {object{"w": waiver("kubelet-apiserver", "2024-09-15", `node_pools["b"]`)}, []string{`error at node_pools["a"]: ` + tooOld, `warning at node_pools["b"]: Waived: ` + tooOld}},
		"expired":     {object{"w": waiver("kubelet-apiserver", "2024-09-14")}, []string{`error at node_pools["a"]: ` + tooOld, `warning at waivers["w"]: Waiver "w" expired on 2024-09-14`}},
		"unmatched":   {object{"w": waiver("kubelet-apiserver", "", `node_pools["c"]`)}, []string{`error at node_pools["a"]: ` + tooOld, `warning at waivers["w"]: Waiver "w" names unknown location node_pools["c"]. Did you mean node_pools["a"]?`}},
		"unknown":     {object{"w": waiver("kubelet", "")}, []string{`error at waivers["w"]: Unknown rule "kubelet". Did you mean "kubelet-apiserver"?`}},
		"not yet":     {object{"w": with(waiver("kubelet-apiserver", ""), "locations", unknown)}, []string{notAllYet}},
		"none":        {object{}, []string{`error at node_pools["a"]: ` + tooOld}},
		"another one": {object{"w": waiver("kube-proxy-kubelet", "")}, []string{`error at node_pools["a"]: ` + tooOld, `warning at waivers["w"]: Waiver "w" does not match any finding`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.plan(with(broken, "waivers", tt.waivers), nil)
			expect(t, diags, tt.want...)
			for _, d := range diags {
				if strings.HasPrefix(d.Summary, "Waived") && !strings.Contains(d.Detail, `by "w": Moves with the move to arm64.`) {
					t.Errorf("%q does not quote the reason", d.Detail)
				}
			}
		})
	}
}

// TestWaiverSuggestions checks suggestions for misspelled rules and locations.
func TestWaiverSuggestions(t *testing.T) {
	s := serve(t, nil)
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}
	for want, w := range map[string]object{
		`Did you mean "kubelet-apiserver"?`:                                                                  {"rule": "kubelet-api-server", "reason": "because"},
		`Unknown location node_pool["gpu"]. Did you mean node_pools["gpu"]?`:                                 {"rule": "kubelet-apiserver", "reason": "because", "locations": []any{`node_pool["gpu"]`}},
		`Waiver "w" names unknown location gpu (waivers["w"].locations[0]). Did you mean node_pools["gpu"]?`: {"rule": "kubelet-apiserver", "reason": "because", "locations": []any{"gpu"}},
		`Did you mean node_pools["gpu"]?`:                                                                    {"rule": "kubelet-apiserver", "reason": "because", "locations": []any{"node_pools.gpu"}},
		`Unknown location node_pools["gpu"].kubelet. Did you mean node_pools["gpu"]?`:                        {"rule": "kubelet-apiserver", "reason": "because", "locations": []any{`node_pools["gpu"].kubelet`}},
		`does not match any finding. Unknown location node_pools["arm"].` + "\n\nTo repair":                  {"rule": "kubelet-apiserver", "reason": "because", "locations": []any{`node_pools["arm"]`}},
	} {
		_, diags := s.plan(with(broken, "waivers", object{"w": w}), nil)
		if !slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return strings.Contains(d.Summary+"\n"+d.Detail, want) }) {
			t.Errorf("no diagnostic contains %q: %v", want, diags)
		}
	}
}

// TestLongRuleID checks that a waiver of a rule ID that is too long to exist is an error that
// does not repeat it.
func TestLongRuleID(t *testing.T) {
	id := strings.Repeat("x", policy.MaxName+1)
	for _, diags := range [][]*tfprotov6.Diagnostic{
		serve(t, nil).validate(object{"control_plane_version": "1.31", "waivers": object{"w": object{"rule": id, "reason": "because"}}}),
		serve(t, nil).validate(object{"control_plane_version": "1.31", "policy": `{"extends": "kubernetes", "disabled_rules": ["` + id + `"]}`}),
	} {
		if len(diags) != 1 || !strings.Contains(diags[0].Summary+diags[0].Detail, "more than 200 characters") || strings.Contains(diags[0].Summary+diags[0].Detail, id) {
			t.Errorf("got %v", diags)
		}
	}
}

// TestOneProblem checks that fifty pools at fifty patches of one minor are one diagnostic.
// Its first line names the first place, and its detail the first five.
func TestOneProblem(t *testing.T) {
	all := object{"fine": pool("1.31")}
	for i := range 50 {
		all[fmt.Sprintf("pool-%02d", i)] = pool(fmt.Sprintf("1.27.%d", i))
	}
	_, diags := serve(t, nil).plan(object{"control_plane_version": "1.31", "node_pools": all}, nil)
	if len(diags) != 1 {
		t.Fatalf("%d diagnostics", len(diags))
	}
	if want := tooOld + ` (node_pools["pool-00"] and 49 more)`; diags[0].Summary != want {
		t.Errorf("summary %q, want %q", diags[0].Summary, want)
	}
	for _, want := range []string{
		`node_pools["pool-00"] (1.27.0), node_pools["pool-01"] (1.27.1), node_pools["pool-02"] (1.27.2), node_pools["pool-03"] (1.27.3), node_pools["pool-04"] (1.27.4) and 45 more run kubelet 1.27, 4 minor versions behind kube-apiserver 1.31 (control_plane_version).`,
		`To repair: upgrade the kubelet of node_pools["pool-00"], node_pools["pool-01"], node_pools["pool-02"], node_pools["pool-03"], node_pools["pool-04"] and 45 more to 1.28 or later.`,
	} {
		if !strings.Contains(diags[0].Detail, want) {
			t.Errorf("the detail %q does not contain %q", diags[0].Detail, want)
		}
	}
}

// ruleLine matches the last line of every diagnostic of a finding.
var ruleLine = regexp.MustCompile(`^Rule ([a-z0-9-]+): (https://\S+)$`)

// TestRuleLine checks that the last line of the diagnostic of a finding is always its rule
// and source, so that programs can read them.
func TestRuleLine(t *testing.T) {
	s := serve(t, nil)
	state := object{"control_plane_version": "1.28", "node_pools": object{"a": pool("1.27")}}
	for name, tt := range map[string]struct {
		config, prior object
		want          string
	}{
		"a combination":     {object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27")}}, nil, "kubelet-apiserver"},
		"waived":            {object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27")}, "waivers": object{"w": object{"rule": "kubelet-apiserver", "reason": "because"}}}, nil, "kubelet-apiserver"},
		"a step from state": {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.27")}}, state, "kube-apiserver-step"},
		"nothing changes":   {object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27")}}, object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.27")}}, "kubelet-apiserver"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.plan(tt.config, tt.prior)
			var rules []string
			for _, d := range diags {
				lines := strings.Split(d.Detail, "\n")
				m := ruleLine.FindStringSubmatch(lines[len(lines)-1])
				if m == nil {
					t.Fatalf("the last line of %q is not a rule", d.Detail)
				}
				rules = append(rules, m[1])
			}
			if !slices.Contains(rules, tt.want) {
				t.Errorf("got rules %q, want %s among them", rules, tt.want)
			}
		})
	}
}

// TestManyFindings checks that a plan shows at most a hundred problems and counts the others.
func TestManyFindings(t *testing.T) {
	s := serve(t, nil)
	pools := func(n int) object {
		all := object{}
		for i := range n {
			all[fmt.Sprintf("pool-%03d", i)] = pool(fmt.Sprintf("1.%d", 32+i))
		}
		return object{"control_plane_version": "1.31", "node_pools": all}
	}
	accepted := object{"w": object{"rule": "kubelet-apiserver", "reason": "They move next week."}}
	for name, tt := range map[string]struct {
		config object
		n      int
		last   string
	}{
		"exactly a hundred": {pools(100), 100, `error at node_pools["pool-099"]: kubelet 1.131 is too new for kube-apiserver 1.31`},
		"one more":          {pools(101), 101, "error at : More errors: 1"},
		"many more":         {pools(250), 101, "error at : More errors: 150"},
		"waived":            {with(pools(250), "waivers", accepted), 101, "warning at : More warnings: 150"},
		"advisory":          {with(pools(250), "enforcement_level", "advisory"), 101, "warning at : More warnings: 150"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.plan(tt.config, nil)
			if len(diags) != tt.n || format(diags[len(diags)-1]) != tt.last {
				t.Fatalf("%d diagnostics, the last of which is %s", len(diags), format(diags[len(diags)-1]))
			}
			if detail := diags[tt.n-1].Detail; tt.n > 100 && !strings.Contains(detail, "kubelet-apiserver: ") {
				t.Errorf("the detail does not name the rule: %q", detail)
			}
		})
	}
}

func TestUnknownAttributesAreListed(t *testing.T) {
	_, diags := serve(t, nil).plan(object{
		"control_plane":      object{"cp-0": object{"version": unknown, "kubelet": unknown}},
		"node_pools":         object{"a": pool(unknown), "b": unknown},
		"kubectl":            []any{"1.31", unknown},
		"components":         object{"x": []any{unknown}, "y": unknown},
		"observed":           object{"control_plane_version": unknown, "node_pools": unknown},
		"policy":             unknown,
		"apiserver_endpoint": unknown,
		"admission_webhooks": object{"w": object{"match_policy": unknown}},
	}, nil)
	want := `control_plane["cp-0"].version, control_plane["cp-0"].kubelet, node_pools["a"].kubelet, node_pools["b"], ` +
		`kubectl[1], components["x"][0], components["y"], apiserver_endpoint, admission_webhooks["w"], observed.control_plane_version, observed.node_pools, policy.`
	if len(diags) != 1 || !strings.Contains(diags[0].Detail, want) {
		t.Errorf("got %+v, want one warning that names %s", diags, want)
	}
}

// TestPlannedState checks that the planned state equals the configuration, and that a plan of
// an unchanged configuration is empty.
func TestPlannedState(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "v1.31.2-eks-1", "node_pools": object{"a": pool("1.30")}, "as_of": "2024-02-29", "observed": object{"control_plane_version": "1.30"}}
	planned, diags := s.plan(config, nil)
	expect(t, diags)
	if !planned.Equal(s.state(config)) {
		t.Errorf("planned %s, want the configuration", planned)
	}
	state, diags := s.apply(config, nil)
	expect(t, diags)
	if !state.Equal(planned) {
		t.Errorf("applied %s, want the planned state %s", state, planned)
	}
	again, diags := s.plan(config, config)
	expect(t, diags)
	if !again.Equal(state) {
		t.Errorf("the plan of an unchanged configuration is %s, want %s", again, state)
	}
}

// TestApplyOfUnknownVersion checks that an unknown version that turns out to violate the
// policy at apply is an error and does not change the state.
func TestApplyOfUnknownVersion(t *testing.T) {
	s := serve(t, nil)
	prior := object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}}
	for name, tt := range map[string]struct {
		kubelet, want string
		prior         object
	}{
		"create":          {"1.27", tooOld, nil},
		"update":          {"1.31", notInStep, prior},
		"invalid version": {"nonsense", `Invalid version "nonsense"`, prior},
	} {
		t.Run(name, func(t *testing.T) {
			config := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool(tt.kubelet)}}
			state, diags := s.applyPlanned(s.state(config), s.value(s.validation(), config), tt.prior)
			expect(t, diags, `error at node_pools["gpu"]: `+tt.want)
			if !state.Equal(s.state(tt.prior)) {
				t.Errorf("the state is %s, want no change", state)
			}
		})
	}
}

func TestDestroyNeverFails(t *testing.T) {
	s := serve(t, nil)
	for _, prior := range []object{
		{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
		{"control_plane_version": "banana", "control_plane": object{"a": nil}, "policy": "gone"},
	} {
		planned, diags := s.plan(nil, prior)
		expect(t, diags)
		state, diags := s.applyPlanned(planned, planned, prior)
		expect(t, diags)
		if !state.IsNull() {
			t.Errorf("after the destroy, the state is %s", state)
		}
	}
}

// TestDestroyHint checks that only errors of an unchanged plan, which may precede a destroy,
// explain how to destroy.
func TestDestroyHint(t *testing.T) {
	s := serve(t, nil)
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}
	for name, tt := range map[string]struct {
		prior object
		want  bool
	}{
		"unchanged": {broken, true},
		"changed":   {with(broken, "control_plane_version", "1.30"), false},
		"new":       {nil, false},
	} {
		_, diags := s.plan(broken, tt.prior)
		if len(diags) != 1 || strings.Contains(diags[0].Detail, "-refresh=false") != tt.want {
			t.Errorf("%s: got %+v, want the hint: %t", name, diags, tt.want)
		}
	}
}

func TestImport(t *testing.T) {
	s := serve(t, nil)
	for id, want := range map[string]object{
		"1.30":                             {"control_plane_version": "1.30"},
		"v1.30.4-eks-1":                    {"control_plane_version": "v1.30.4-eks-1"},
		`{"control_plane_version":"1.30"}`: {"control_plane_version": "1.30"},
		`{"control_plane_version":"1.30", "cluster_id": "arn:aws:eks:eu-west-1:1:cluster/prod"}`: {"control_plane_version": "1.30", "cluster_id": "arn:aws:eks:eu-west-1:1:cluster/prod"},
		` {"control_plane": {"a": {"version": "1.31", "kubelet": null}}, "node_pools": {"gpu": {"kubelet": "1.27"}}, "kubectl": ["1.31"], "components": {"istiod": ["1.23", "1.24"]}, "apiserver_endpoint": "local"} `: {
			"control_plane": object{"a": object{"version": "1.31"}}, "node_pools": object{"gpu": pool("1.27")}, "kubectl": []any{"1.31"},
			"components": object{"istiod": []any{"1.23", "1.24"}}, "apiserver_endpoint": "local",
		},
	} {
		t.Run(id, func(t *testing.T) {
			state, diags := s.importState(id)
			expect(t, diags)
			if !state.Equal(s.state(want)) {
				t.Errorf("imported %s", state)
			}
		})
	}
}

// TestStepFromImport checks that the first step starts from the imported versions, even if
// these violate the policy.
func TestStepFromImport(t *testing.T) {
	s := serve(t, nil)
	imported, diags := s.importState(`{"control_plane_version": "1.30", "node_pools": {"gpu": {"kubelet": "1.27"}}}`)
	expect(t, diags)
	prior := object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}}
	if !imported.Equal(s.state(prior)) {
		t.Fatalf("imported %s", imported)
	}
	_, diags = s.plan(object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.31")}}, prior)
	expect(t, diags, `error at node_pools["gpu"]: `+notInStep)
}

// TestImportOfClusterID checks that with an imported cluster_id, the first step is only
// checked for that cluster.
func TestImportOfClusterID(t *testing.T) {
	s := serve(t, nil)
	imported, diags := s.importState(`{"control_plane_version": "1.30", "cluster_id": "a"}`)
	expect(t, diags)
	prior := object{"control_plane_version": "1.30", "cluster_id": "a"}
	if !imported.Equal(s.state(prior)) {
		t.Fatalf("imported %s", imported)
	}
	_, diags = s.plan(object{"control_plane_version": "1.32", "cluster_id": "b"}, prior)
	expect(t, diags)
	_, diags = s.plan(object{"control_plane_version": "1.32", "cluster_id": "a"}, prior)
	expect(t, diags, "error at control_plane_version: kube-apiserver cannot go from 1.30 to 1.32 in one step")
}

func TestInvalidImport(t *testing.T) {
	s := serve(t, nil)
	for id, want := range map[string]string{
		"":                                  "value is empty",
		"latest":                            `"latest" is not a version`,
		"{}":                                "does not contain a version",
		`{"cluster_id":"a"}`:                "does not contain a version",
		"{":                                 "the text ends too early",
		`{"control_plane_version" 1}`:       "character 26",
		`{} {}`:                             "unexpected text after",
		`{"control_plane_version":1.30}`:    `control_plane_version must be a string: write "1.30" in quotes`,
		`{"control_plane_versions":"1.30"}`: "Unknown attribute control_plane_versions. Known attributes: admission_webhooks, apiserver_endpoint",
		`{"id":"x", "control_plane_version":"1.30"}`:     "Unknown attribute id",
		`{"node_pools":[]}`:                              "node_pools must be an object",
		`{"node_pools":{"gpu":"1.27"}}`:                  "node_pools.gpu must be an object",
		`{"node_pools":{"gpu":{"kubelet":"1.x","x":1}}}`: "Unknown attribute node_pools.gpu.x",
		`{"node_pools":{"gpu":{"kubelet":"1.x"}}}`:       `node_pools["gpu"].kubelet: "1.x" is not a version`,
		`{"kubectl":"1.31"}`:                             "kubectl must be a list",
		`{"kubectl":[true]}`:                             "kubectl[0] must be a string",
		`{"control_plane_version":"1.30","control_plane":{"a":{"version":"1.30"}}}`: "Both control_plane_version and control_plane",
	} {
		t.Run(id, func(t *testing.T) {
			state, diags := s.importState(id)
			if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityError || !strings.Contains(diags[0].Detail, want) {
				t.Fatalf("got %+v, want an error that contains %s", diags, want)
			}
			if !strings.Contains(diags[0].Detail, "terraform import versionskew_validation") {
				t.Errorf("the detail has no example: %q", diags[0].Detail)
			}
			if !state.IsNull() {
				t.Errorf("the import failed, but the state is %s", state)
			}
		})
	}
}

func TestProviderSettings(t *testing.T) {
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}
	advisoryServer := serve(t, object{"policy": "kubernetes", "enforcement_level": "advisory"})
	_, diags := advisoryServer.plan(broken, nil)
	expect(t, diags, `warning at node_pools["gpu"]: `+tooOld)
	_, diags = advisoryServer.plan(with(broken, "enforcement_level", "mandatory"), nil)
	expect(t, diags, `error at node_pools["gpu"]: `+tooOld)
}

func TestProviderSettingsMustBeKnown(t *testing.T) {
	s := serve(t, nil)
	resp, err := s.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: s.dynamic(s.value(s.schemas.Provider, object{"policy": unknown, "enforcement_level": unknown})),
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, resp.Diagnostics, "error at enforcement_level: The provider's enforcement_level is not known at plan time", "error at policy: The provider's policy is not known at plan time")
}

// TestStateOfAnotherType checks that a state in which an attribute has another type is
// rejected.
func TestStateOfAnotherType(t *testing.T) {
	upgraded, diags := serve(t, nil).upgrade(0, []byte(`{"id":"validation","node_pools":["nonsense"]}`))
	if len(diags) == 0 {
		t.Errorf("upgraded to %s, want an error", upgraded)
	}
}

// TestManyInvalidInputs checks that at most a hundred errors in a configuration are shown, and
// that the others are counted by kind.
func TestManyInvalidInputs(t *testing.T) {
	s := serve(t, nil)
	many := func(v any) object {
		all := object{}
		for i := range 250 {
			all[fmt.Sprintf("it-%03d", i)] = v
		}
		return all
	}
	valid := object{"control_plane_version": "1.31"}
	var invalidVersions []any
	for i := range 250 {
		invalidVersions = append(invalidVersions, fmt.Sprintf("1.%d.x", i))
	}
	data := func(name string) func(object) []*tfprotov6.Diagnostic {
		return func(config object) []*tfprotov6.Diagnostic {
			_, diags := s.read(name, config)
			return diags
		}
	}
	validation := func(config object) []*tfprotov6.Diagnostic {
		_, diags := s.plan(config, nil)
		return diags
	}
	for name, tt := range map[string]struct {
		ask    func(object) []*tfprotov6.Diagnostic
		config object
		n      int
		last   string
		detail string
	}{
		"invalid versions":      {s.validate, with(valid, "kubectl", invalidVersions), 101, "error at : More errors: 150", "by kind: Invalid version: 150."},
		"one invalid version":   {s.validate, with(valid, "node_pools", many(pool("latest"))), 1, `error at node_pools["it-000"]: Invalid version "latest"`, `node_pools["it-004"].kubelet and 245 more: "latest" is not a version`},
		"pools without version": {validation, with(valid, "node_pools", many(object{})), 1, "warning at : Not checked: no version is set", `node_pools["it-099"] and 150 more.`},
		"unknown pools":         {validation, with(valid, "node_pools", many(unknown)), 1, "warning at : Not everything could be checked at plan time", `node_pools["it-099"] and 150 more.`},
		"unknown components":    {validation, with(valid, "components", many([]any{"1.0"})), 1, `warning at components["it-000"]: No rule for it-000, it-001, it-002, it-003, it-004 and 245 more`, "it-099 and 150 more"},
		"waivers of no rule":    {validation, with(valid, "waivers", many(object{"rule": "x", "reason": "because"})), 101, "error at : More errors: 150", "Unknown rule: 150."},
		"unmatched waivers":     {validation, with(valid, "waivers", many(object{"rule": "kubelet-apiserver", "reason": "because"})), 101, "warning at : More warnings: 150", "Waiver does not match any finding: 150."},
		"invalid rules":         {data("versionskew_policy"), object{"skew_rules": many(object{"max_older": -1})}, 101, "error at : More errors: 150", "Policy kubernetes has no rule with this ID: 150."},
		"invalid releases":      {data("versionskew_releases"), object{"additional_releases": many(object{})}, 101, "error at : More errors: 150", "Invalid version: 150."},
		"unavailable versions":  {data("versionskew_upgrade_plan"), object{"control_plane_version": "1.30", "target_version": "1.31", "available_versions": slices.Repeat([]any{"x"}, 250)}, 101, "error at : More errors: 150", "Invalid version: 150."},
	} {
		t.Run(name, func(t *testing.T) {
			diags := tt.ask(tt.config)
			if last := diags[len(diags)-1]; len(diags) != tt.n || format(last) != tt.last || !strings.Contains(last.Detail, tt.detail) {
				t.Fatalf("%d diagnostics, the last of which is %s: %s", len(diags), format(last), last.Detail)
			}
		})
	}
}
