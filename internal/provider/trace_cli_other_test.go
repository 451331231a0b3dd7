// SPDX-License-Identifier: MPL-2.0

//go:build !linux

package provider_test

import "testing"

func TestNoConnectionAndNoFile(t *testing.T) {
	t.Skip("system calls are only traced on Linux")
}
