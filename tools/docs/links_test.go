// SPDX-License-Identifier: MPL-2.0

package main

import "testing"

func TestAddressLinks(t *testing.T) {
	for _, test := range []struct{ page, text, want string }{
		{"guides/own-policy.md", "[a](wiring.md#b)", "[a](wiring.md#b)"},
		{"guides/own-policy.md", "[a](../data-sources/policy.md#rules)", "[a](" + registry + "data-sources/policy#rules)"},
		{"index.md", "[a](guides/wiring.md)", "[a](" + registry + "guides/wiring)"},
		{"index.md", "[a](https://example.com/x.md) [b](#rules)", "[a](https://example.com/x.md) [b](#rules)"},
	} {
		if got := string(addressLinksOf(test.page, []byte(test.text))); got != test.want {
			t.Errorf("%s: %s becomes %s, want %s", test.page, test.text, got, test.want)
		}
	}
}
