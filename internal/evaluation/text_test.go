// SPDX-License-Identifier: MPL-2.0

package evaluation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew/skewtest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// What follows is the text of https://kubernetes.io/releases/version-skew-policy/
// once more, a function for each statement, as plainly as can be. It shares
// nothing with what it is compared with but the spelling of versions.

// declared is one instance: a component, the machine it is on, and its minor.
type declared struct {
	component, machine string
	minor              int
}

// text is a combination as the page would look at it.
type text struct {
	all []declared
	// local says that controllers communicate with the API server of their
	// own machine, not with any through a load balancer.
	local bool
}

// of returns the instances of a component.
func (c text) of(component string) []declared {
	var some []declared
	for _, d := range c.all {
		if d.component == component {
			some = append(some, d)
		}
	}
	return some
}

// The newest and the oldest API server of an HA cluster are at most one minor
// apart (#kube-apiserver).
func (c text) apiServersAreWithinOneMinor() bool {
	for _, newest := range c.of("kube-apiserver") {
		for _, oldest := range c.of("kube-apiserver") {
			if newest.minor-oldest.minor > 1 {
				return false
			}
		}
	}
	return true
}

// A kubelet is not newer than the API server, and up to three minors older, two
// if the kubelet is before 1.25. API servers of several minors narrow that:
// each of them counts (#kubelet).
func (c text) kubeletsFit() bool {
	for _, kubelet := range c.of("kubelet") {
		for _, api := range c.of("kube-apiserver") {
			if kubelet.minor > api.minor {
				return false
			}
			if kubelet.minor < api.minor-3 {
				return false
			}
			if kubelet.minor < 25 && kubelet.minor < api.minor-2 {
				return false
			}
		}
	}
	return true
}

// kube-proxy is not newer than the API server, and up to three minors older,
// two if kube-proxy is before 1.25. API servers of several minors narrow that:
// each of them counts (#kube-proxy).
func (c text) kubeProxiesFit() bool {
	for _, proxy := range c.of("kube-proxy") {
		for _, api := range c.of("kube-apiserver") {
			if proxy.minor > api.minor {
				return false
			}
			if proxy.minor < api.minor-3 {
				return false
			}
			if proxy.minor < 25 && proxy.minor < api.minor-2 {
				return false
			}
		}
	}
	return true
}

// kube-proxy is up to three minors older or newer than the kubelet beside it,
// two if kube-proxy is before 1.25 (#kube-proxy).
func (c text) kubeProxiesFitTheirKubelets() bool {
	for _, proxy := range c.of("kube-proxy") {
		for _, kubelet := range c.of("kubelet") {
			if proxy.machine != kubelet.machine {
				continue
			}
			apart := max(proxy.minor-kubelet.minor, kubelet.minor-proxy.minor)
			if apart > 3 || proxy.minor < 25 && apart > 2 {
				return false
			}
		}
	}
	return true
}

// kube-controller-manager, kube-scheduler and cloud-controller-manager are not
// newer than the API servers that they communicate with, and up to one minor
// older. All API servers count if they can communicate with any
// (#kube-controller-manager-kube-scheduler-and-cloud-controller-manager).
func (c text) controllersFit(component string) bool {
	for _, controller := range c.of(component) {
		var reached []declared
		for _, api := range c.of("kube-apiserver") {
			if api.machine == controller.machine {
				reached = append(reached, api)
			}
		}
		if !c.local || len(reached) == 0 {
			reached = c.of("kube-apiserver")
		}
		for _, api := range reached {
			if controller.minor != api.minor && controller.minor != api.minor-1 {
				return false
			}
		}
	}
	return true
}

// kubectl is within one minor, older or newer, of every API server (#kubectl).
func (c text) kubectlsFit() bool {
	for _, kubectl := range c.of("kubectl") {
		for _, api := range c.of("kube-apiserver") {
			if kubectl.minor != api.minor-1 && kubectl.minor != api.minor && kubectl.minor != api.minor+1 {
				return false
			}
		}
	}
	return true
}

// broken lists the rules that a combination breaks, by their ids.
func (c text) broken() []string {
	var ids []string
	for id, holds := range map[string]bool{
		"kube-apiserver-ha":                  c.apiServersAreWithinOneMinor(),
		"kubelet-apiserver":                  c.kubeletsFit(),
		"kube-proxy-apiserver":               c.kubeProxiesFit(),
		"kube-proxy-kubelet":                 c.kubeProxiesFitTheirKubelets(),
		"kube-controller-manager-apiserver":  c.controllersFit("kube-controller-manager"),
		"kube-scheduler-apiserver":           c.controllersFit("kube-scheduler"),
		"cloud-controller-manager-apiserver": c.controllersFit("cloud-controller-manager"),
		"kubectl-apiserver":                  c.kubectlsFit(),
	} {
		if !holds {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (c text) sound() bool { return len(c.broken()) == 0 }

// An API server moves by one minor at a time, and never skips one
// (#supported-component-upgrade-order). The page says nothing of going back,
// which is not allowed then.
func apiServersMoveByOne(from, to text) bool {
	for _, before := range from.of("kube-apiserver") {
		for _, after := range to.of("kube-apiserver") {
			if before.machine == after.machine && after.minor != before.minor && after.minor != before.minor+1 {
				return false
			}
		}
	}
	return true
}

// walkable reports whether the instances can move one after another so that
// every combination on the way is sound, as the prerequisites of each component
// ask (#supported-component-upgrade-order). On one node, kubelet and kube-proxy
// may move at the same time.
func walkable(from, to text) bool {
	known := map[string]bool{}
	var walk func(now text) bool
	walk = func(now text) bool {
		if known[fmt.Sprint(now)] || !now.sound() {
			return false
		}
		known[fmt.Sprint(now)] = true
		if slices.Equal(now.all, to.all) {
			return true
		}
		for i := range now.all {
			for j := range now.all {
				together := i == j || now.all[i].component == "kubelet" && now.all[j].component == "kube-proxy" && now.all[i].machine == now.all[j].machine
				if !together {
					continue
				}
				next := text{slices.Clone(now.all), now.local}
				next.all[i].minor, next.all[j].minor = to.all[i].minor, to.all[j].minor
				if walk(next) {
					return true
				}
			}
		}
		return false
	}
	return walk(from)
}

// The minors that are looked at: more than any limit beyond those declared.
const first, last = 17, 33

// allowed lists the minors that all instances of a component may have while the
// others stay, so that nothing that the page says of the component is broken. A component that is not declared is asked about on a
// machine of its own.
func (c text) allowed(component string) []int {
	if len(c.of(component)) == 0 {
		c.all = append(slices.Clone(c.all), declared{component, "another", 0})
	}
	var minors []int
	for minor := first; minor <= last; minor++ {
		moved := text{slices.Clone(c.all), c.local}
		for i := range moved.all {
			if moved.all[i].component == component {
				moved.all[i].minor = minor
			}
		}
		if !slices.ContainsFunc(moved.broken(), func(id string) bool { return slices.Contains(about[component], id) }) {
			minors = append(minors, minor)
		}
	}
	return minors
}

// about is the rules that are about a component, on either side.
var about = map[string][]string{
	"kube-apiserver": {
		"kube-apiserver-ha", "kubelet-apiserver", "kube-proxy-apiserver", "kube-controller-manager-apiserver",
		"kube-scheduler-apiserver", "cloud-controller-manager-apiserver", "kubectl-apiserver",
	},
	"kubelet":                  {"kubelet-apiserver", "kube-proxy-kubelet"},
	"kube-proxy":               {"kube-proxy-apiserver", "kube-proxy-kubelet"},
	"kube-controller-manager":  {"kube-controller-manager-apiserver"},
	"kube-scheduler":           {"kube-scheduler-apiserver"},
	"cloud-controller-manager": {"cloud-controller-manager-apiserver"},
	"kubectl":                  {"kubectl-apiserver"},
}

// cluster declares a combination to what it is compared with.
func (c text) cluster(t *testing.T) skew.Cluster {
	t.Helper()
	on := map[string][]string{}
	for _, d := range c.all {
		on[d.machine] = append(on[d.machine], fmt.Sprintf("%s=1.%d", d.component, d.minor))
	}
	var places []string
	for _, machine := range slices.Sorted(maps.Keys(on)) {
		places = append(places, machine+": "+strings.Join(on[machine], " "))
	}
	cluster := skewtest.Cluster(t, strings.Join(places, "; "))
	cluster.LocalEndpoint = c.local
	return cluster
}

// every calls f with each way to give minors to some instances, which are
// written "machine: component".
func every(from, to int, instances []string, f func([]declared)) {
	all := make([]declared, len(instances))
	var choose func(i int)
	choose = func(i int) {
		if i == len(all) {
			f(slices.Clone(all))
			return
		}
		for minor := from; minor <= to; minor++ {
			machine, component, _ := strings.Cut(instances[i], ": ")
			all[i] = declared{component, machine, minor}
			choose(i + 1)
		}
	}
	choose(0)
}

// TestTheTextOfCombinations: for every combination, the same rules are broken as
// in the text, and every component may have the same versions.
func TestTheTextOfCombinations(t *testing.T) {
	t.Parallel()
	p := skewtest.Kubernetes(t)
	minors := map[int]version.Minor{}
	for n := first; n <= last; n++ {
		minors[n] = skewtest.Version(t, fmt.Sprint("1.", n)).Minor()
	}
	for _, tt := range []struct {
		instances []string
		local     bool
	}{
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver"}, true},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "node_pools.x: kubelet", "node_pools.x: kube-proxy"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.a: kubelet", "node_pools.x: kubelet", "node_pools.y: kube-proxy"}, true},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "kubectl.0: kubectl"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "control_plane.a: kube-controller-manager", "control_plane.b: kube-scheduler"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "control_plane.a: kube-controller-manager", "control_plane.b: kube-scheduler"}, true},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "control_plane.a: cloud-controller-manager", "control_plane.c: cloud-controller-manager"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "control_plane.a: cloud-controller-manager", "control_plane.c: cloud-controller-manager"}, true},
	} {
		t.Run(fmt.Sprint(tt.instances, tt.local), func(t *testing.T) {
			t.Parallel()
			// On both sides of 1.25, the one minor that the page names.
			every(22, 28, tt.instances, func(all []declared) {
				c := text{all, tt.local}
				r := evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: c.cluster(t)})
				if got, want := errorRules(r.Findings), c.broken(); !slices.Equal(got, want) {
					t.Fatalf("%v breaks %v, by the text %v", c, got, want)
				}
				for component := range about {
					if len(c.of(component)) == 0 && len(all) > 2 {
						continue // two API servers are asked about everything
					}
					var got []int
					for n := first; n <= last; n++ {
						if r.Allowed[component].Contains(minors[n]) {
							got = append(got, n)
						}
					}
					if want := c.allowed(component); !slices.Equal(got, want) {
						t.Fatalf("%v: %s may be %v, by the text %v", c, component, got, want)
					}
				}
			})
		})
	}
}

// TestTheTextOfSteps: every step between sound combinations is accepted if and
// only if the text allows it.
func TestTheTextOfSteps(t *testing.T) {
	t.Parallel()
	p := skewtest.Kubernetes(t)
	for _, tt := range []struct {
		instances []string
		local     bool
	}{
		{[]string{"control_plane.a: kube-apiserver", "node_pools.x: kubelet", "node_pools.x: kube-proxy"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "node_pools.x: kubelet"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "control_plane.a: kube-scheduler"}, false},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "control_plane.a: kube-scheduler"}, true},
		{[]string{"control_plane.a: kube-apiserver", "control_plane.b: kube-apiserver", "kubectl.0: kubectl"}, false},
	} {
		t.Run(fmt.Sprint(tt.instances, tt.local), func(t *testing.T) {
			t.Parallel()
			var sound []text
			every(22, 28, tt.instances, func(all []declared) {
				if c := (text{all, tt.local}); c.sound() {
					sound = append(sound, c)
				}
			})
			accepted := 0
			for _, from := range sound {
				before := from.cluster(t)
				for _, to := range sound {
					r := evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: to.cluster(t), Observed: &before, ApplyOrder: upgrade.Any})
					byOne := apiServersMoveByOne(from, to)
					want := byOne && walkable(from, to)
					if r.Supported() != want || slices.Contains(errorRules(r.Findings), "kube-apiserver-step") == byOne {
						t.Fatalf("%v to %v is judged %v; by the text, API servers move by one: %t, and all in all: %t", from, to, errorRules(r.Findings), byOne, want)
					}
					if want {
						accepted++
					}
				}
			}
			if accepted == 0 || accepted == len(sound)*len(sound) {
				t.Errorf("one-sided: %d of %d steps are accepted", accepted, len(sound)*len(sound))
			}
		})
	}
}
