// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"regexp"
	"strconv"
)

// number is what the platforms compare: the minor and the patch. A version
// without a patch, as EKS has them, has patch -1.
type number struct{ minor, patch int }

var pattern = regexp.MustCompile(`^v?1\.([0-9]+)(?:\.([0-9]+))?`)

// parse reads a version as a platform writes it: 1.31, 1.31.4,
// v1.31.2-eksbuild.2, 1.33.4-gke.1350000.
func parse(version string) (number, error) {
	m := pattern.FindStringSubmatch(version)
	if m == nil {
		return number{}, fmt.Errorf("%q is not a supported Kubernetes version", version)
	}
	n := number{patch: -1}
	n.minor, _ = strconv.Atoi(m[1]) // the pattern lets only digits through
	if m[2] != "" {
		n.patch, _ = strconv.Atoi(m[2])
	}
	return n, nil
}

// Minor is the minor number of a version. It panics on anything that no platform
// of this package would run.
func Minor(version string) int {
	n, err := parse(version)
	if err != nil {
		panic(err)
	}
	return n.minor
}

// newer reports whether a is a later patch or minor than b.
func (n number) newer(than number) bool {
	if n.minor != than.minor {
		return n.minor > than.minor
	}
	return n.patch >= 0 && than.patch >= 0 && n.patch > than.patch
}

// Newer reports whether a version is a later minor or patch than another.
func Newer(a, b string) bool {
	one, err := parse(a)
	if err != nil {
		return false
	}
	other, err := parse(b)
	return err == nil && one.newer(other)
}
