// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const (
	tooOld     = "kubelet 1.27 is too old for kube-apiserver 1.31"
	notAllYet  = "warning at : Not everything could be checked at plan time"
	notInStep  = "kubelet 1.27 and kube-apiserver 1.30 cannot both move to 1.31 in one step"
	notSkipped = "kube-apiserver cannot go from 1.30 to 1.32 in one step"
)

func TestValidationReportsBadInputAtItsPlace(t *testing.T) {
	s := serve(t, nil)
	for name, tt := range map[string]struct {
		config object
		want   []string
	}{
		"sound":                {object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.30")}}, nil},
		"nothing":              {object{}, nil},
		"no version":           {object{"control_plane_version": "latest"}, []string{`error at control_plane_version: Invalid version "latest"`}},
		"all at once":          {object{"control_plane_version": "", "node_pools": object{"a": pool("1.x"), "b": object{"kube_proxy": "125"}}, "kubectl": []any{"1.31", "v1"}}, []string{`error at control_plane_version: Invalid version ""`, `error at node_pools["a"]: Invalid version "1.x"`, `error at node_pools["b"]: Invalid version "125". Did you mean "1.25"?`, `error at kubectl[1]: Invalid version "v1"`}},
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
		"no day":               {object{"as_of": "2026-02-30"}, []string{`error at as_of: Invalid date "2026-02-30"`}},
		"a day too early":      {object{"as_of": "1800-01-01"}, []string{`error at as_of: Invalid date "1800-01-01"`}},
		"unknown policy":       {object{"policy": "kubernets"}, []string{`error at policy: Unknown policy "kubernets". Did you mean "kubernetes"?`}},
		"a policy with errors": {object{"policy": `{"extends": "kubernetes", "skew_rules": {"kubelet-apiserver": {"max_oldr": 1}}}`}, []string{`error at policy: Invalid policy: unknown field. Did you mean "max_older"?`}},
		"waivers": {object{"waivers": object{
			"a": object{"rule": "", "reason": " "}, "b": object{"rule": "kubelet-apiserver", "reason": "x", "expires": "soon"}, "c": object{"rule": "kubelet-apiserver", "reason": "x", "expires": "2028-02-29"},
		}}, []string{`error at waivers["a"]: Missing rule`, `error at waivers["a"]: Missing reason`, `error at waivers["b"]: Invalid date "soon"`}},
		"unknown enforcement":  {object{"enforcement_level": "soft"}, []string{`error at enforcement_level: Invalid enforcement_level "soft"`}},
		"nothing is known yet": {object{"control_plane_version": unknown, "control_plane": unknown, "node_pools": unknown, "kubectl": []any{unknown}, "components": object{"x": unknown}, "observed": unknown, "policy": unknown, "as_of": unknown, "apiserver_endpoint": unknown, "admission_webhooks": unknown, "enforcement_level": unknown, "waivers": unknown}, nil},
	} {
		t.Run(name, func(t *testing.T) { expect(t, s.validate(tt.config), tt.want...) })
	}
}

func TestInvalidVersionSaysWhatToWrite(t *testing.T) {
	diags := serve(t, nil).validate(object{"node_pools": object{"gpu": pool("1.x")}})
	for _, want := range []string{`node_pools["gpu"].kubelet`, `"1.x"`, `"x" is not a number`, `"1.31.4"`} {
		if !strings.Contains(diags[0].Detail, want) {
			t.Errorf("%q does not say %s", diags[0].Detail, want)
		}
	}
}

// TestPlan covers the first plan (without prior), later ones, and what is not
// known yet.
func TestPlan(t *testing.T) {
	cp0 := func(fields object) object { return object{"cp-0": fields} }
	for name, tt := range map[string]struct {
		prior, config object
		want          []string
	}{
		"a bad combination": {nil, object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.30"), "gpu": pool("1.27")}},
			[]string{`error at node_pools["gpu"]: ` + tooOld}},
		"all findings of a plan": {object{"control_plane_version": "1.30"},
			object{"control_plane_version": "1.32", "node_pools": object{"gpu": pool("1.33")}, "kubectl": []any{"1.32", "1.30"}, "components": object{"kubelet": []any{"1.28"}}},
			[]string{
				"error at control_plane_version: " + notSkipped,
				"error at kubectl[1]: kubectl 1.30 is too old for kube-apiserver 1.32",
				`error at components["kubelet"]: kubelet 1.28 is too old for kube-apiserver 1.32`,
				`error at node_pools["gpu"]: kubelet 1.33 is too new for kube-apiserver 1.32`,
			}},
		"a combination is checked without a change": {object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
			object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}, []string{`error at node_pools["gpu"]: ` + tooOld}},
		"a step from state":             {object{"control_plane_version": "1.30"}, object{"control_plane_version": "1.32"}, []string{"error at control_plane_version: " + notSkipped}},
		"no step without a state":       {nil, object{"control_plane_version": "1.32"}, nil},
		"a step from observed":          {nil, object{"control_plane_version": "1.32", "observed": object{"control_plane_version": "1.30"}}, []string{"error at control_plane_version: " + notSkipped}},
		"observed counts, not state":    {object{"control_plane_version": "1.30"}, object{"control_plane_version": "1.32", "observed": object{"control_plane_version": "1.31"}}, nil},
		"a sound end that no order has": {object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}}, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.31")}}, []string{`error at node_pools["gpu"]: ` + notInStep}},
		"a broken state can be repaired": {object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
			object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.31")}}, nil},
		"a state that is no version": {object{"control_plane_version": "banana"}, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}},
			[]string{"warning at : The step is not checked", `error at node_pools["gpu"]: ` + tooOld}},
		"a component that no rule knows": {nil, object{"control_plane_version": "1.31", "components": object{"istiod": []any{"1.23"}}},
			[]string{`warning at components["istiod"]: No rule on istiod`}},
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
		"a local API server, unknown":          {nil, object{"apiserver_endpoint": "local", "control_plane": object{"a": object{"kube_apiserver": unknown, "kube_scheduler": "1.31"}, "b": object{"version": "1.30"}}}, []string{notAllYet}},
		"a step with an unknown pool":          {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.27")}}, object{"control_plane_version": "1.31", "node_pools": object{"a": pool(unknown)}}, []string{"error at node_pools[\"a\"]: kubelet 1.27 would be too old for kube-apiserver 1.31 partway through this apply", notAllYet}},
		"a step with an unknown pool in range": {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.28")}}, object{"control_plane_version": "1.31", "node_pools": object{"a": pool(unknown)}}, []string{notAllYet}},
		"a step with unknown pools":            {object{"control_plane_version": "1.30", "node_pools": object{"a": pool("1.27")}}, object{"control_plane_version": "1.32", "node_pools": unknown}, []string{"error at control_plane_version: " + notSkipped, notAllYet}},
		"a step to an unknown version":         {object{"control_plane": cp0(object{"version": "1.30"})}, object{"control_plane_version": unknown}, []string{notAllYet}},
		"a step from unknown":                  {object{"control_plane_version": "1.28"}, object{"control_plane_version": "1.31", "observed": unknown}, []string{notAllYet}},
		"a step from partly unknown":           {nil, object{"control_plane_version": "1.31", "node_pools": object{"a": pool("1.31")}, "observed": object{"control_plane_version": unknown, "node_pools": object{"a": pool("1.27")}}}, []string{notAllYet}},
		"a new instance beside an unknown one": {nil, object{"control_plane": object{"b": object{"version": "1.32"}}, "observed": object{"control_plane": object{"a": object{"version": unknown}, "c": object{"version": "1.30"}}}}, []string{notAllYet}},
		"an unknown enforcement":               {nil, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "enforcement_level": unknown}, []string{`warning at node_pools["gpu"]: ` + tooOld, notAllYet}},
		"an unknown policy":                    {nil, object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}, "policy": unknown}, []string{notAllYet}},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := serve(t, nil).plan(tt.config, tt.prior)
			expect(t, diags, tt.want...)
		})
	}
}

// TestWaivers: a waived error is a warning that quotes the reason; a waiver that
// does nothing says so, and never changes what it is not about.
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
		"unknown":     {object{"w": waiver("kubelet", "")}, []string{`error at waivers["w"]: Unknown rule "kubelet"`}},
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

// TestWaiverGuesses: a misspelled rule or location is asked about.
func TestWaiverGuesses(t *testing.T) {
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
			t.Errorf("%v does not say %q", diags, want)
		}
	}
}

// TestOneProblem: fifty pools at fifty patches of one minor are one diagnostic, which
// names the first place in its first line and the first five in its detail.
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
			t.Errorf("%q does not say %q", diags[0].Detail, want)
		}
	}
}

// ruleLine is the last line of every diagnostic of a finding.
var ruleLine = regexp.MustCompile(`^Rule ([a-z0-9-]+): (https://\S+)$`)

// TestRuleLine: whatever else a diagnostic says, its last line is the rule and where
// it is written down, so that programs can read it.
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
				t.Errorf("got %q, want %s among them", rules, tt.want)
			}
		})
	}
}

// TestManyFindings: however many problems there are, a hundred are shown, the
// others are counted, and none is lost on the way to a refusal.
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
		"as many as are shown": {pools(100), 100, `error at node_pools["pool-099"]: kubelet 1.131 is too new for kube-apiserver 1.31`},
		"one more":             {pools(101), 101, "error at : More errors: 1"},
		"many more":            {pools(250), 101, "error at : More errors: 150"},
		"waived":               {with(pools(250), "waivers", accepted), 101, "warning at : More warnings: 150"},
		"advisory":             {with(pools(250), "enforcement_level", "advisory"), 101, "warning at : More warnings: 150"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := s.plan(tt.config, nil)
			if len(diags) != tt.n || spell(diags[len(diags)-1]) != tt.last {
				t.Fatalf("%d diagnostics, the last of which is %s", len(diags), spell(diags[len(diags)-1]))
			}
			if detail := diags[tt.n-1].Detail; tt.n > 100 && !strings.Contains(detail, "kubelet-apiserver: ") {
				t.Errorf("%q does not name the rule", detail)
			}
		})
	}
}

func TestUnknownsAreNamed(t *testing.T) {
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

// TestPlanIsWhatIsDeclared: nothing is left unknown, and an unchanged
// declaration is an empty plan.
func TestPlanIsWhatIsDeclared(t *testing.T) {
	s := serve(t, nil)
	config := object{"control_plane_version": "v1.31.2-eks-1", "node_pools": object{"a": pool("1.30")}, "as_of": "2024-02-29", "observed": object{"control_plane_version": "1.30"}}
	planned, diags := s.plan(config, nil)
	expect(t, diags)
	if !planned.Equal(s.state(config)) {
		t.Errorf("planned %s, want what is declared", planned)
	}
	state, diags := s.apply(config, nil)
	expect(t, diags)
	if !state.Equal(planned) {
		t.Errorf("applied %s, planned %s", state, planned)
	}
	again, diags := s.plan(config, config)
	expect(t, diags)
	if !again.Equal(state) {
		t.Errorf("an unchanged declaration plans %s", again)
	}
}

// TestApplyJudgesWhatWasUnknown: what turns out bad at apply is an error, and
// the state stays what it was.
func TestApplyJudgesWhatWasUnknown(t *testing.T) {
	s := serve(t, nil)
	prior := object{"control_plane_version": "1.30", "node_pools": object{"gpu": pool("1.27")}}
	for name, tt := range map[string]struct {
		kubelet, want string
		prior         object
	}{
		"bad on create":  {"1.27", tooOld, nil},
		"bad on update":  {"1.31", notInStep, prior},
		"none on update": {"nonsense", `Invalid version "nonsense"`, prior},
	} {
		t.Run(name, func(t *testing.T) {
			config := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool(tt.kubelet)}}
			state, diags := s.applyPlanned(s.state(config), s.value(s.validation(), config), tt.prior)
			expect(t, diags, `error at node_pools["gpu"]: `+tt.want)
			if !state.Equal(s.state(tt.prior)) {
				t.Errorf("the state is %s, want it untouched", state)
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
			t.Errorf("left in state: %s", state)
		}
	}
}

// TestRefusedWithoutAChange: what may be the plan before a destroy says how to
// destroy all the same; any other refused plan does not.
func TestRefusedWithoutAChange(t *testing.T) {
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
			t.Errorf("%s: %+v, want the hint: %t", name, diags, tt.want)
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

// TestImportIsWhereTheFirstStepStarts, also for a cluster that is broken.
func TestImportIsWhereTheFirstStepStarts(t *testing.T) {
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

// TestImportOfAnotherCluster: with an imported cluster_id, the first step is checked only
// for that cluster.
func TestImportOfAnotherCluster(t *testing.T) {
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

func TestImportRefuses(t *testing.T) {
	s := serve(t, nil)
	for id, want := range map[string]string{
		"":                                  "it is empty",
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
				t.Fatalf("got %+v, want an error that says %s", diags, want)
			}
			if !strings.Contains(diags[0].Detail, "terraform import versionskew_validation") {
				t.Errorf("%q shows no example", diags[0].Detail)
			}
			if !state.IsNull() {
				t.Errorf("imported %s all the same", state)
			}
		})
	}
}

func TestProviderSettings(t *testing.T) {
	broken := object{"control_plane_version": "1.31", "node_pools": object{"gpu": pool("1.27")}}
	soft := serve(t, object{"policy": "kubernetes", "enforcement_level": "advisory"})
	_, diags := soft.plan(broken, nil)
	expect(t, diags, `warning at node_pools["gpu"]: `+tooOld)
	_, diags = soft.plan(with(broken, "enforcement_level", "mandatory"), nil)
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

// TestStateOfAnotherShape: what the state holds of a type that is not in the
// schema is refused, not lost.
func TestStateOfAnotherShape(t *testing.T) {
	upgraded, diags := serve(t, nil).upgrade(0, []byte(`{"id":"validation","node_pools":["nonsense"]}`))
	if len(diags) == 0 {
		t.Errorf("upgraded to %s", upgraded)
	}
}

// TestManyProblems: what is wrong with a configuration is drawn a hundred times
// at most, and named by one word for the rest.
func TestManyProblems(t *testing.T) {
	s := serve(t, nil)
	many := func(v any) object {
		all := object{}
		for i := range 250 {
			all[fmt.Sprintf("it-%03d", i)] = v
		}
		return all
	}
	sound := object{"control_plane_version": "1.31"}
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
		"invalid versions":     {s.validate, with(sound, "kubectl", invalidVersions), 101, "error at : More errors: 150", "these kinds: Invalid version: 150."},
		"one invalid version":  {s.validate, with(sound, "node_pools", many(pool("latest"))), 1, `error at node_pools["it-000"]: Invalid version "latest"`, `node_pools["it-004"].kubelet and 245 more: "latest" is not a version`},
		"pools of no version":  {validation, with(sound, "node_pools", many(object{})), 1, "warning at : Not checked: no version is set", `node_pools["it-099"], and 150 more.`},
		"unknown pools":        {validation, with(sound, "node_pools", many(unknown)), 1, "warning at : Not everything could be checked at plan time", `node_pools["it-099"], and 150 more.`},
		"unknown components":   {validation, with(sound, "components", many([]any{"1.0"})), 1, `warning at components["it-000"]: No rule on it-000, it-001, it-002, it-003, it-004 and 245 more`, "it-099, and 150 more"},
		"waivers of no rule":   {validation, with(sound, "waivers", many(object{"rule": "x", "reason": "because"})), 101, "error at : More errors: 150", "Unknown rule: 150."},
		"waivers of nothing":   {validation, with(sound, "waivers", many(object{"rule": "kubelet-apiserver", "reason": "because"})), 101, "warning at : More warnings: 150", "Waiver does not match any finding: 150."},
		"invalid rules":        {data("versionskew_policy"), object{"skew_rules": many(object{"max_older": -1})}, 101, "error at : More errors: 150", "Policy kubernetes has no rule with this ID: 150."},
		"invalid releases":     {data("versionskew_releases"), object{"additional_releases": many(object{})}, 101, "error at : More errors: 150", "Invalid version: 150."},
		"unavailable versions": {data("versionskew_upgrade_plan"), object{"control_plane_version": "1.30", "target_version": "1.31", "available_versions": slices.Repeat([]any{"x"}, 250)}, 101, "error at : More errors: 150", "Invalid version: 150."},
	} {
		t.Run(name, func(t *testing.T) {
			diags := tt.ask(tt.config)
			if last := diags[len(diags)-1]; len(diags) != tt.n || spell(last) != tt.last || !strings.Contains(last.Detail, tt.detail) {
				t.Fatalf("%d diagnostics, the last of which is %s: %s", len(diags), spell(last), last.Detail)
			}
		})
	}
}
