// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// emulatedVersion is the attribute of a cluster, and of a control-plane instance,
// that says which version its API servers emulate.
const emulatedVersion = "emulated_version"

// emulation is what an attribute says of the emulated version.
type emulation struct {
	declared, unknown bool
	version           version.Version
	at                finding.Location
	name              string
}

// emulation reads an emulated version. An invalid one has been reported, and
// emulates nothing.
func (r *clusterReader) emulation(v tftypes.Value, at finding.Location, name string) emulation {
	declared, ok := r.version(v, at, name)
	return emulation{declared: ok && !v.IsNull(), unknown: !v.IsKnown(), version: declared, at: at, name: name}
}

// emulating returns an instance as it counts while it emulates another version: an
// API server, or a controller for which one value stands too. While the version is
// not known, nothing is checked by the instance.
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
			r.diags.Append(invalidEmulation(r, e, err))
		}
	}
	return instance
}

// invalidEmulation is the one way to say that a version can't emulate another.
func invalidEmulation(r *clusterReader, e emulation, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(r.path(e.at), fmt.Sprintf("Invalid emulated version %q (%s)", e.version, r.spell(e.name)), r.spell(e.name)+": "+err.Error()+".")
}
