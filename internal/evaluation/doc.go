// SPDX-License-Identifier: MPL-2.0

// Package evaluation combines all checks of a cluster. The resource, and all data sources
// and functions that check versions, use it instead of the checks in packages skew, step and
// upgrade.
//
// Evaluate checks a declared cluster: it collects the findings of skew and step,
// adds advisories, applies waivers and attaches remedies. Start reading in
// evaluation.go. Plan plans an upgrade, Changes separates new findings from existing
// ones, and Allowed lists the versions that a policy allows.
//
// Remedies are found by trying them: candidates.go lists changes of versions,
// trial.go checks each of them, and remedy.go selects the best.
package evaluation
