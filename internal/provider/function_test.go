// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// call calls a function with strings, lists of strings or nil.
func (s *server) call(name string, arguments ...any) (tftypes.Value, *tfprotov6.FunctionError) {
	s.t.Helper()
	definition := s.schemas.Functions[name]
	if definition == nil {
		s.t.Fatalf("the provider has no function %s", name)
	}
	var values []*tfprotov6.DynamicValue
	for i, argument := range arguments {
		parameter := definition.VariadicParameter
		if i < len(definition.Parameters) {
			parameter = definition.Parameters[i]
		}
		values = append(values, s.dynamic(tfvalue.Of(parameter.Type, argument)))
	}
	resp, err := s.CallFunction(context.Background(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: values})
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.Error != nil {
		return tftypes.Value{}, resp.Error
	}
	v, err := resp.Result.Unmarshal(definition.Return.Type)
	if err != nil {
		s.t.Fatal(err)
	}
	return v, nil
}

// plain formats a value without its types.
func plain(v tftypes.Value) string {
	switch {
	case !v.IsKnown():
		return "unknown"
	case v.IsNull():
		return "null"
	case v.Type().Is(tftypes.String):
		return fmt.Sprintf("%q", tfvalue.String(v))
	case v.Type().Is(tftypes.List{}):
		var all []string
		for _, element := range tfvalue.Elements(v) {
			all = append(all, plain(element))
		}
		return "[" + strings.Join(all, " ") + "]"
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		var all []string
		fields := tfvalue.Fields(v)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			all = append(all, name+"="+plain(fields[name]))
		}
		return strings.Join(all, " ")
	}
	return strings.TrimSuffix(strings.TrimPrefix(v.String(), v.Type().String()+`<"`), `">`)
}

func TestFunctions(t *testing.T) {
	s := serve(t, nil)
	// https://istio.io/latest/docs/releases/supported-releases/
	const istio = `{"extends": "kubernetes", "requirement_rules": {"istiod-apiserver": {"when": {"component": "kube-apiserver", "version": ">= 1.31, < 1.32"}, "require": {"component": "istiod", "version": ">= 1.22, < 1.24"}}}}`
	list := func(all ...any) []any { return all }
	for _, tt := range []struct {
		name      string
		arguments []any
		want      string
	}{
		{"version_parse", list("v1.31.2-eks-7f9249a"), `build="eks-7f9249a" major=1 minor=31 minor_version="1.31" normalized="1.31.2+eks-7f9249a" patch=2 prerelease=""`},
		{"version_parse", list("1.31"), `build="" major=1 minor=31 minor_version="1.31" normalized="1.31" patch=null prerelease=""`},
		{"version_parse", list("v1.21.0-rc.0+6143dea"), `build="6143dea" major=1 minor=21 minor_version="1.21" normalized="1.21.0-rc.0+6143dea" patch=0 prerelease="rc.0"`},
		{"minor_skew", list("1.28.9", "1.31"), "-3"},
		{"minor_skew", list("1.32.0-alpha.1", "1.31.9"), "1"},
		{"minor_skew", list("v1.31.2+k3s1", "1.31"), "0"},
		{"supported_versions", list("kubelet", list("1.31")), `["1.28" "1.29" "1.30" "1.31"]`},
		{"supported_versions", list("kubelet", list("1.31", "1.30")), `["1.28" "1.29" "1.30"]`},
		{"supported_versions", list("kube-proxy", list("1.27")), `["1.25" "1.26" "1.27"]`},
		{"supported_versions", list("kubectl", list("v1.31.2+k3s1")), `["1.30" "1.31" "1.32"]`},
		{"supported_versions", list("kube-apiserver", list("1.31")), `["1.30" "1.31" "1.32"]`},
		{"supported_versions", list("kube-apiserver", list("1.31", "1.30")), `["1.30" "1.31"]`},
		{"supported_versions", list("cloud-controller-manager", list("1.31", "1.30")), `["1.30"]`},
		{"supported_versions", list("kubelet", list("1.25", "1.31")), `[]`},
		{"is_supported", list("kubelet", "1.28.15-eks-1", list("1.31")), "true"},
		{"is_supported", list("kubelet", "1.27.16", list("1.31")), "false"},
		{"is_supported", list("kubelet", "1.32", list("1.31")), "false"},
		{"is_supported", list("kubelet", "1.24", list("1.27")), "false"},
		{"is_supported", list("kubelet", "2.31", list("1.31")), "false"},
		{"supported_versions", list("kubelet", list("1.31"), "kubernetes"), `["1.28" "1.29" "1.30" "1.31"]`},
		{"supported_versions", list("kubelet", list("1.31"), "oke"), `["1.28" "1.29" "1.30" "1.31"]`},
		{"supported_versions", list("kubelet", list("1.31"), `{"extends": "kubernetes", "skew_rules": {"kubelet-apiserver": {"max_older": 1}}}`), `["1.30" "1.31"]`},
		{"supported_versions", list("istiod", list("1.31"), istio), `["1.22" "1.23"]`},
		{"is_supported", list("istiod", "1.3", list("1.31"), istio), "false"},
		{"is_supported", list("istiod", "1.22.4", list("1.31"), istio), "true"},
		{"is_supported", list("kubelet", "1.30", list("1.31"), `{"extends": "kubernetes", "skew_rules": {"kubelet-apiserver": {"max_older": 0}}}`), "false"},
		{"upgrade_path", list("1.28", "1.31", `{"extends": "kubernetes", "step_rules": {"kube-apiserver-step": {"max_upgrade": 2}}}`), `["1.30" "1.31"]`},
		{"upgrade_path", list("1.28.4", "1.31.0"), `["1.29" "1.30" "1.31"]`},
		{"upgrade_path", list("1.28", "1.33", `{"extends": "kubernetes", "step_rules": {"kube-apiserver-step": {"conditions": [{"from": ">= 1.29, < 1.30", "max_upgrade": 3}]}}}`), `["1.29" "1.32" "1.33"]`},
		{"upgrade_path", list("1.30.1", "1.30.9"), `[]`},
		{"upgrade_path", list("1.30.9", "1.30.1"), `[]`},
	} {
		got, err := s.call(tt.name, tt.arguments...)
		if err != nil {
			t.Errorf("%s%q: %s", tt.name, tt.arguments, err.Text)
		} else if plain(got) != tt.want {
			t.Errorf("%s%q = %s, want %s", tt.name, tt.arguments, plain(got), tt.want)
		}
	}
}

// TestFunctionErrors checks that an error has the index of the first invalid argument and
// reports all invalid arguments, with their values.
func TestFunctionErrors(t *testing.T) {
	s := serve(t, nil)
	list := func(all ...any) []any { return all }
	for _, tt := range []struct {
		name      string
		arguments []any
		index     int64
		want      []string
	}{
		{"version_parse", list("latest"), 0, []string{`"latest" is not a version`, `"1.31.4"`}},
		{"minor_skew", list("1.x", "125"), 0, []string{`"1.x" is not a version`, `"125" is not a version`}},
		{"minor_skew", list("1.31", "125"), 1, []string{`"125" is not a version`}},
		{"minor_skew", list("2.1", "1.31"), 1, []string{`"2.1" and "1.31" have different major versions`}},
		{"supported_versions", list("kubelets", list("1.31")), 0, []string{`Unknown component "kubelets". Did you mean "kubelet"?`, "Components of policy kubernetes: cloud-controller-manager, kube-apiserver, kube-controller-manager, kube-proxy, kube-scheduler, kubectl, kubelet"}},
		{"supported_versions", list("kubelet", list()), 1, []string{"is empty"}},
		{"supported_versions", list("kubelet", list("1.31", nil, "", "v1")), 1, []string{"Element 1 of the list is null", `"" is not a version`, `"v1" is not a version`}},
		{"is_supported", list("etcd", "1.x", list("latest")), 0, []string{`Unknown component "etcd". Components of policy kubernetes:`, `"1.x" is not a version`, `"latest" is not a version`}},
		{"minor_skew", list("1.31", "2.x"), 1, []string{`"2.x" is not a version`}},
		{"is_supported", list("kubelet", "1.3", list("1.30")), 1, []string{`Write "1.30" as a string`}},
		{"is_supported", list("kubelet", "1.30", list("1.3")), 2, []string{`Write "1.30" as a string`}},
		{"upgrade_path", list("1.3", "1.31"), 0, []string{`Write "1.30" as a string`}},
		{"upgrade_path", list("1.30", "1.31", "esk"), 2, []string{`"esk"`}},
		{"supported_versions", list("kubelet", list("1.30"), "{"), 2, []string{"JSON"}},
		{"supported_versions", list("istiod", list("1.30"), "eks"), 0, []string{`Unknown component "istiod". Components of policy eks:`}},
		{"supported_versions", list("cluster-autoscaler", list("1.34"), `{"extends": "kubernetes", "include": ["addons/cluster-autoscaler"]}`), 0, []string{"does not limit cluster-autoscaler to a range of versions", "only rules with severity error count", "is_supported"}},
		{"supported_versions", list("kubelet", list("1.34"), `{"extends": "kubernetes", "disabled_rules": ["kubelet-apiserver"]}`), 0, []string{"does not limit kubelet to a range of versions"}},
		{"is_supported", list("kubelet", "1.30", list("1.30"), "eks", "gke"), 4, []string{"at most one"}},
		{"upgrade_path", list("1.31", "1.30"), 1, []string{`"1.30" is older than "1.31"`}},
		{"upgrade_path", list("1.28", "1.30", `{"extends": "kubernetes", "step_rules": {"kube-apiserver-step": {"conditions": [{"to": ">= 1.30", "max_upgrade": 0}]}}}`), 1, []string{`Policy custom allows no upgrade path from "1.28" to "1.30"`}},
		{"upgrade_path", list("1.31", "2.0"), 1, []string{`"1.31" and "2.0" have different major versions`}},
		{"upgrade_path", list("1.31", "1.999999999"), 1, []string{`"1.999999999" is 999999968 minors ahead of "1.31"`}},
	} {
		got, err := s.call(tt.name, tt.arguments...)
		if err == nil {
			t.Errorf("%s%q = %s, want an error", tt.name, tt.arguments, plain(got))
			continue
		}
		if err.FunctionArgument == nil || *err.FunctionArgument != tt.index {
			t.Errorf("%s%q: error has argument %v, want %d", tt.name, tt.arguments, err.FunctionArgument, tt.index)
		}
		if strings.HasSuffix(err.Text, ".") {
			t.Errorf("%s%q: %q ends with a period, and the CLI adds another", tt.name, tt.arguments, err.Text)
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Text, want) {
				t.Errorf("%s%q: %q does not contain %s", tt.name, tt.arguments, err.Text, want)
			}
		}
	}
}

// TestFunctionPages checks that each function has a summary and describes its return value.
func TestFunctionPages(t *testing.T) {
	for name, definition := range serve(t, nil).schemas.Functions {
		if !strings.Contains(definition.Description, "\n## Return\n") || definition.Summary == "" {
			t.Errorf("%s has no Return section, or no summary", name)
		}
	}
}
