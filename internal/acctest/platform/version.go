// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"regexp"
	"strconv"
)

// kubeVersion is a version as it was written, with the numbers that platforms compare. If
// the version has no patch, as on EKS, the patch is -1.
type kubeVersion struct {
	text         string
	minor, patch int
}

func (n kubeVersion) String() string { return n.text }

var pattern = regexp.MustCompile(`^v?1\.([0-9]+)(?:\.([0-9]+))?`)

// parse parses a version in the format of any platform: 1.31, 1.31.4,
// v1.31.2-eksbuild.2, 1.33.4-gke.1350000.
func parse(version string) (kubeVersion, error) {
	m := pattern.FindStringSubmatch(version)
	if m == nil {
		return kubeVersion{}, fmt.Errorf("%q is not a supported Kubernetes version", version)
	}
	n := kubeVersion{text: version, patch: -1}
	n.minor, _ = strconv.Atoi(m[1]) // the pattern only matches digits
	if m[2] != "" {
		n.patch, _ = strconv.Atoi(m[2])
	}
	return n, nil
}

// Minor returns the minor number of a version, such as 31. It panics if the version is
// invalid.
func Minor(version string) int {
	n, err := parse(version)
	if err != nil {
		panic(err)
	}
	return n.minor
}

// newer reports whether n has a later minor than the other version, or a later patch of
// the same minor. A missing patch is neither older nor newer.
func (n kubeVersion) newer(than kubeVersion) bool {
	if n.minor != than.minor {
		return n.minor > than.minor
	}
	return n.patch >= 0 && than.patch >= 0 && n.patch > than.patch
}

// Newer reports whether version a has a later minor than b, or a later patch of the same
// minor. It is false if either version is invalid.
func Newer(a, b string) bool {
	one, err := parse(a)
	if err != nil {
		return false
	}
	other, err := parse(b)
	return err == nil && one.newer(other)
}
