// SPDX-License-Identifier: MPL-2.0

package version

import (
	"cmp"
	"strings"
)

// CompareBuilds orders vendor builds by the numbers in them: gke.900000 comes
// before gke.1350000, and k3s1 before k3s2. ok is false for builds that differ in
// anything but numbers, such as two commits, because these have no order.
func CompareBuilds(v, w Version) (order int, ok bool) {
	a, b := v.Build(), w.Build()
	for a != "" || b != "" {
		var wordA, wordB, numberA, numberB string
		wordA, numberA, a = cutNumber(a)
		wordB, numberB, b = cutNumber(b)
		if wordA != wordB {
			return 0, false
		}
		if order == 0 {
			order = cmp.Or(cmp.Compare(len(numberA), len(numberB)), strings.Compare(numberA, numberB))
		}
	}
	return order, true
}

// cutNumber splits a build after its first number, and strips leading zeros from
// the number.
func cutNumber(s string) (word, number, rest string) {
	start := strings.IndexAny(s, digits)
	if start < 0 {
		return s, "", ""
	}
	word, rest = s[:start], strings.TrimLeft(s[start:], digits)
	number = strings.TrimLeft(s[start:len(s)-len(rest)], "0")
	return word, number, rest
}

const digits = "0123456789"
