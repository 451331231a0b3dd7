// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"strings"
	"testing"
)

// TestNotices checks the licenses of the modules of the released binaries, which fails
// if one is not allowed.
func TestNotices(t *testing.T) {
	t.Chdir("../..")
	var page strings.Builder
	if err := run(&page); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"Go 1.", "Copyright 2009 The Go Authors.",
		"github.com/hashicorp/terraform-plugin-framework v", "Mozilla Public License",
		"google.golang.org/grpc v", ", NOTICE.txt\n",
	} {
		if !strings.Contains(page.String(), text) {
			t.Errorf("the notices do not contain %q", text)
		}
	}
	for _, name := range []string{"terraform-plugin-testing", "pgregory.net/rapid"} {
		if strings.Contains(page.String(), name) {
			t.Errorf("the notices contain %s, which only tests use", name)
		}
	}
}

func TestCheck(t *testing.T) {
	mpl, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	const agpl = `This program is free software: you can redistribute it and/or modify it under the terms of the
GNU Affero General Public License as published by the Free Software Foundation, either version 3 of
the License, or (at your option) any later version.`
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"allowed":           {map[string]string{"LICENSE": string(mpl)}, ""},
		"in a directory":    {map[string]string{"internal/x/LICENSE.txt": string(mpl)}, ""},
		"none":              {nil, "no license file"},
		"only a notice":     {map[string]string{"NOTICE": "Copyright"}, "no license file"},
		"not allowed":       {map[string]string{"COPYING": agpl}, "AGPL-3.0-or-later in COPYING is not one of"},
		"unknown":           {map[string]string{"LICENSE": "All rights reserved."}, "no known license"},
		"one of several":    {map[string]string{"LICENSE": string(mpl), "x/LICENSE": agpl}, "AGPL-3.0-or-later in x/LICENSE"},
		"with another text": {map[string]string{"LICENSE": string(mpl) + strings.Repeat(" Not for commercial use.", 2000)}, "no known license"},
	} {
		t.Run(name, func(t *testing.T) {
			switch err := (module{"x v1.0.0", tt.files}).check(); {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
