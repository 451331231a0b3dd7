// SPDX-License-Identifier: MPL-2.0

// Package skewtest builds clusters, versions and policies for tests from short
// strings.
package skewtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// Kubernetes returns the policy kubernetes.
func Kubernetes(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Extended returns a built-in policy with changes, a policy in JSON.
func Extended(t testing.TB, name, changes string) *policy.Policy {
	t.Helper()
	base, err := policy.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Extend(base, changes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Constraint parses a version constraint.
func Constraint(t testing.TB, s string) version.Constraint {
	t.Helper()
	c, err := version.ParseConstraint(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Version parses a version and fails the test if it is invalid.
func Version(t testing.TB, s string) version.Version {
	t.Helper()
	v, err := version.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Date parses a date such as 2026-11-20 and fails the test if it is invalid.
func Date(t testing.TB, s string) releases.Date {
	t.Helper()
	d, err := releases.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Cluster parses places separated by ";". A place is a location, a colon, and
// component=version pairs separated by spaces. A version without a component sets all
// control-plane components. Locations are control_plane.NAME, node_pools.NAME,
// kubectl.INDEX and components.NAME.INDEX. "managed: 1.31" is a managed control plane,
// and "kube_proxy: 1.31" a cluster-wide kube-proxy. "1.31(1.30)" is 1.31 that emulates 1.30.
func Cluster(t testing.TB, text string) skew.Cluster {
	t.Helper()
	return ClusterOf(t, nil, text)
}

// ClusterOf works like Cluster, with versions of a scheme.
func ClusterOf(t testing.TB, scheme *version.Scheme, text string) skew.Cluster {
	t.Helper()
	read := func(s string) version.Version {
		s, emulated, emulates := strings.Cut(strings.TrimSuffix(s, ")"), "(")
		v, err := scheme.Parse(s)
		if emulates && err == nil {
			v, err = v.Emulating(Version(t, emulated))
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var c skew.Cluster
	clusterWide := ""
	for _, line := range strings.Split(text, ";") {
		where, what, ok := strings.Cut(strings.TrimSpace(line), ":")
		if where == "" {
			continue
		}
		if !ok {
			t.Fatalf("no colon in %q", line)
		}
		if where == string(finding.KubeProxy) {
			clusterWide = strings.TrimSpace(what)
			continue
		}
		p := skew.Place{Location: location(t, where)}
		for _, field := range strings.Fields(what) {
			component, v, named := strings.Cut(field, "=")
			if named {
				p.Instances = append(p.Instances, skew.Instance{Component: component, Version: read(v)})
				continue
			}
			for _, component := range skew.ControlPlaneComponents {
				p.Instances = append(p.Instances, skew.Instance{Component: component, Version: read(field)})
			}
		}
		c.Places = append(c.Places, p)
	}
	if clusterWide != "" {
		c = c.WithKubeProxy(Version(t, clusterWide))
	}
	return c
}

func location(t testing.TB, s string) finding.Location {
	if s == "managed" {
		return finding.AtAttribute(finding.ControlPlaneVersion)
	}
	parts := strings.Split(s, ".")
	attribute, last, index := finding.Attribute(parts[0]), parts[len(parts)-1], 0
	if _, err := fmt.Sscanf(last, "%d", &index); err == nil {
		return finding.AtIndex(attribute, strings.Join(parts[1:len(parts)-1], "."), index)
	}
	if len(parts) != 2 {
		t.Fatalf("%q is not a location", s)
	}
	return finding.AtKey(attribute, last)
}
