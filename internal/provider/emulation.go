// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// emulatedVersion is the attribute for the version that API servers emulate. It exists
// for a cluster and for each control-plane instance.
const emulatedVersion = "emulated_version"

// emulation is the value of an attribute emulated_version.
type emulation struct {
	declared, unknown bool
	version           version.Version
	at                finding.Location
	attribute         string // at the location: see clusterReader.version
}

// emulation reads an emulated version. An invalid one has been reported and counts as
// not declared.
func (r *clusterReader) emulation(v tftypes.Value, at finding.Location, attribute string) emulation {
	declared, ok := r.version(v, at, attribute)
	return emulation{declared: ok && !v.IsNull(), unknown: !v.IsKnown(), version: declared, at: at, attribute: attribute}
}

// emulating returns an API server with the version that it emulates, or a controller
// whose version comes from the same attribute. While the emulated version is unknown,
// the version of the instance is too.
func (r *clusterReader) emulating(instance skew.Instance, e emulation) skew.Instance {
	isAPIServer := instance.Component == skew.APIServer
	switch {
	case !e.declared || instance.Version.IsZero():
	case e.unknown:
		instance.Version = version.Version{}
	case isAPIServer || e.version.Minor().Compare(instance.Version.Minor()) < 0:
		v, err := instance.Version.Emulating(e.version)
		if err == nil {
			instance.Version = v
		} else if isAPIServer {
			r.complain(e.at, report.InvalidEmulation(r.qualify(e.at.String()+e.attribute), e.version, err))
		}
	}
	return instance
}
