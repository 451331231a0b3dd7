// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/evaluation"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// allowedVersionsSVG draws the minors that each component may have next to a control plane
// at one minor. All components of the policy must have Kubernetes versions.
func allowedVersionsSVG(p *policy.Policy, controlPlane version.Minor) string {
	picture := report.AllowedPicture{
		Title:        fmt.Sprintf("Versions allowed next to %s %s", skew.APIServer, controlPlane),
		ControlPlane: []version.Minor{controlPlane},
	}
	for _, component := range p.Components() {
		if component == skew.APIServer {
			continue
		}
		picture.Rows = append(picture.Rows, report.AllowedPictureRow{Component: component, Allowed: evaluation.AllowedWith(p, component, controlPlane.Version())})
	}
	return picture.SVG()
}
