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
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade/step"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// This file implements https://kubernetes.io/releases/version-skew-policy/ a second
// time, one function for each statement and as simply as possible. It shares only the
// notation of versions with the code that it is compared with.

// instance is a component on a machine, with its minor.
type instance struct {
	component, machine string
	minor              int
}

// combination is a set of instances that run at the same time.
type combination struct {
	all []instance
	// local says that controllers communicate only with the API server on their own
	// machine, not with all of them through a load balancer.
	local bool
}

// of returns the instances of a component.
func (c combination) of(component string) []instance {
	var some []instance
	for _, d := range c.all {
		if d.component == component {
			some = append(some, d)
		}
	}
	return some
}

// The newest and the oldest API server of an HA cluster differ by at most one minor
// (#kube-apiserver).
func (c combination) apiServersAreWithinOneMinor() bool {
	for _, newest := range c.of("kube-apiserver") {
		for _, oldest := range c.of("kube-apiserver") {
			if newest.minor-oldest.minor > 1 {
				return false
			}
		}
	}
	return true
}

// A kubelet is not newer than the API server and at most three minors older, or two if
// it is older than 1.25. With several API servers, this applies to each of them
// (#kubelet).
func (c combination) kubeletsFit() bool {
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

// kube-proxy is not newer than the API server and at most three minors older, or two if
// it is older than 1.25. With several API servers, this applies to each of them
// (#kube-proxy).
func (c combination) kubeProxiesFit() bool {
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

// kube-proxy is at most three minors older or newer than the kubelet on its machine, or
// two if it is older than 1.25 (#kube-proxy).
func (c combination) kubeProxiesFitTheirKubelets() bool {
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

// kube-controller-manager, kube-scheduler and cloud-controller-manager are not newer
// than the API servers that they communicate with, and at most one minor older. If they
// can communicate with any API server, this applies to all of them
// (#kube-controller-manager-kube-scheduler-and-cloud-controller-manager).
func (c combination) controllersFit(component string) bool {
	for _, controller := range c.of(component) {
		var reached []instance
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

// kubectl is at most one minor older or newer than each API server (#kubectl).
func (c combination) kubectlsFit() bool {
	for _, kubectl := range c.of("kubectl") {
		for _, api := range c.of("kube-apiserver") {
			if kubectl.minor != api.minor-1 && kubectl.minor != api.minor && kubectl.minor != api.minor+1 {
				return false
			}
		}
	}
	return true
}

// violated lists the IDs of the rules that a combination violates.
func (c combination) violated() []string {
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

func (c combination) valid() bool { return len(c.violated()) == 0 }

// An API server moves by one minor at a time (#supported-component-upgrade-order). The
// page does not mention rollbacks, so they are not allowed.
func apiServersMoveByOne(from, to combination) bool {
	for _, before := range from.of("kube-apiserver") {
		for _, after := range to.of("kube-apiserver") {
			if before.machine == after.machine && after.minor != before.minor && after.minor != before.minor+1 {
				return false
			}
		}
	}
	return true
}

// hasValidOrder reports whether the instances can move one after another so that all
// intermediate combinations are valid, as the prerequisites of each component require
// (#supported-component-upgrade-order). kubelet and kube-proxy on one machine can move
// at the same time.
func hasValidOrder(from, to combination) bool {
	known := map[string]bool{}
	var walk func(now combination) bool
	walk = func(now combination) bool {
		if known[fmt.Sprint(now)] || !now.valid() {
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
				next := combination{slices.Clone(now.all), now.local}
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

// The range of minors to check exceeds the declared minors by more than any limit.
const first, last = 17, 33

// allowed lists the minors that all instances of a component may have without violating
// a rule about the component, while other instances keep their versions. A component
// that is not declared is placed on a separate machine.
func (c combination) allowed(component string) []int {
	if len(c.of(component)) == 0 {
		c.all = append(slices.Clone(c.all), instance{component, "another", 0})
	}
	var minors []int
	for minor := first; minor <= last; minor++ {
		moved := combination{slices.Clone(c.all), c.local}
		for i := range moved.all {
			if moved.all[i].component == component {
				moved.all[i].minor = minor
			}
		}
		if !slices.ContainsFunc(moved.violated(), func(id string) bool { return slices.Contains(rulesAbout[component], id) }) {
			minors = append(minors, minor)
		}
	}
	return minors
}

// rulesAbout lists the rules about a component, on either side.
var rulesAbout = map[string][]string{
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

// cluster converts a combination.
func (c combination) cluster(t *testing.T) skew.Cluster {
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

// forEachCombination calls f with all assignments of minors to instances. Instances are
// written as "machine: component".
func forEachCombination(from, to int, instances []string, f func([]instance)) {
	all := make([]instance, len(instances))
	var choose func(i int)
	choose = func(i int) {
		if i == len(all) {
			f(slices.Clone(all))
			return
		}
		for minor := from; minor <= to; minor++ {
			machine, component, _ := strings.Cut(instances[i], ": ")
			all[i] = instance{component, machine, minor}
			choose(i + 1)
		}
	}
	choose(0)
}

// TestPolicyPageOfCombinations checks that all combinations violate the same rules, and
// all components have the same allowed versions, as in this file.
func TestPolicyPageOfCombinations(t *testing.T) {
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
			// The minors are on both sides of 1.25, which has limits of its own.
			forEachCombination(22, 28, tt.instances, func(all []instance) {
				c := combination{all, tt.local}
				r := evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: c.cluster(t)})
				if got, want := errorRules(r.Findings()), c.violated(); !slices.Equal(got, want) {
					t.Fatalf("%v violates %v, want %v", c, got, want)
				}
				for component := range rulesAbout {
					if len(c.of(component)) == 0 && len(all) > 2 {
						continue // only check undeclared components with two API servers
					}
					var got []int
					for n := first; n <= last; n++ {
						if r.Allowed[component].Contains(minors[n]) {
							got = append(got, n)
						}
					}
					if want := c.allowed(component); !slices.Equal(got, want) {
						t.Fatalf("%v: %s may have %v, want %v", c, component, got, want)
					}
				}
			})
		})
	}
}

// TestPolicyPageOfSteps checks that a step between two valid combinations is accepted
// if and only if this file allows it.
func TestPolicyPageOfSteps(t *testing.T) {
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
			var valid []combination
			forEachCombination(22, 28, tt.instances, func(all []instance) {
				if c := (combination{all, tt.local}); c.valid() {
					valid = append(valid, c)
				}
			})
			accepted := 0
			for _, from := range valid {
				before := from.cluster(t)
				for _, to := range valid {
					r := evaluation.Evaluate(evaluation.Input{Policy: p, Cluster: to.cluster(t), Observed: &before, ApplyOrder: step.Any})
					byOne := apiServersMoveByOne(from, to)
					want := byOne && hasValidOrder(from, to)
					if r.Supported() != want || slices.Contains(errorRules(r.Findings()), "kube-apiserver-step") == byOne {
						t.Fatalf("%v to %v violates %v, want API servers to move by one minor: %t, and the step to be accepted: %t", from, to, errorRules(r.Findings()), byOne, want)
					}
					if want {
						accepted++
					}
				}
			}
			if accepted == 0 || accepted == len(valid)*len(valid) {
				t.Errorf("steps are one-sided: %d of %d are accepted", accepted, len(valid)*len(valid))
			}
		})
	}
}
