// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

var update = flag.Bool("update", false, "update the golden file")

func TestAllowedVersionsSVG(t *testing.T) {
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	picture := allowedVersionsSVG(p, version.Minor{Major: 1, Minor: 37})
	golden := filepath.Join("testdata", "allowed-versions.svg")
	if *update {
		if err := os.WriteFile(golden, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), picture); diff != "" {
		t.Errorf("the picture differs from %s. If the change is intended, run go test ./docs -update and look at the picture:\n%s", golden, diff)
	}

	// The filled cells of each row are the minors that the policy allows.
	rows := map[string][]string{}
	row := ""
	for _, e := range elements(t, picture) {
		switch {
		case e.name == "text" && strings.HasPrefix(e.class, "label "):
			row = e.text
		case e.name == "text" && strings.HasPrefix(e.class, "version "):
			rows[row] = append(rows[row], e.text)
		}
	}
	for component, want := range map[string]string{
		"kubelet":        "1.34 1.35 1.36 1.37",
		"kube-proxy":     "1.34 1.35 1.36 1.37",
		"kube-scheduler": "1.36 1.37",
		"kubectl":        "1.36 1.37 1.38",
	} {
		if got := strings.Join(rows[component], " "); got != want {
			t.Errorf("%s: allowed minors %s, want %s", component, got, want)
		}
	}
}

// TestAllowedVersionsSVGOfAnyPolicy checks that the picture is valid XML for unusual
// component names, limits and minors.
func TestAllowedVersionsSVGOfAnyPolicy(t *testing.T) {
	p, err := policy.Parse(`{"extends": "kubernetes", "skew_rules": {"odd": {"subject": "<b>&\"odd\"", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1}, "only-newer": {"subject": "only-newer", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 2}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, minor := range []int{0, 1, 37} {
		texts := ""
		columns := map[string]bool{}
		for _, e := range elements(t, allowedVersionsSVG(p, version.Minor{Major: 1, Minor: minor})) {
			texts += e.name + " " + e.text + "\n"
			if strings.HasPrefix(e.class, "minor ") {
				if columns[e.text] {
					t.Errorf("1.%d: column %s appears twice", minor, e.text)
				}
				columns[e.text] = true
			}
		}
		for _, want := range []string{"text <b>&\"odd\"\n", "title Versions allowed next to kube-apiserver 1."} {
			if !strings.Contains(texts, want) {
				t.Errorf("missing %q in\n%s", want, texts)
			}
		}
	}
}

// TestStagesSVG checks that the picture in the upgrade guide shows the same plan as the
// guide.
func TestStagesSVG(t *testing.T) {
	r, err := readPlan(filepath.Join("..", "..", "examples", "guides", "upgrade", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	markdown, err := os.ReadFile(filepath.Join("..", "..", "examples", "guides", "upgrade", "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	stages, rollouts, last := 0, 0, map[string]string{}
	row := ""
	for _, e := range elements(t, stagesSVG(r)) {
		switch kind, _, _ := strings.Cut(e.class, " "); kind {
		case "stage":
			stages++
		case "label":
			row = e.text
		case "moves":
			if strings.HasPrefix(row, "nodes: ") {
				rollouts++
			}
			last[row] = e.text
		case "runs":
			last[row] = e.text
		}
	}
	if want := fmt.Sprintf("%d stages, 4 control-plane steps, %d node pool rollouts", stages-1, rollouts); !strings.Contains(string(markdown), want) {
		t.Errorf("the guide does not contain %q, which the picture shows", want)
	}
	for row, minor := range last {
		if minor != "1.37" {
			t.Errorf("%s ends at %s", row, minor)
		}
	}
	if len(last) != 5 {
		t.Errorf("got %d rows, want 5: %v", len(last), last)
	}
}

// TestColors checks that every visible element has its color in an attribute, because
// librsvg and resvg do not support custom properties.
func TestColors(t *testing.T) {
	r, err := readPlan(filepath.Join("..", "..", "examples", "guides", "upgrade", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Builtin(policy.Default)
	if err != nil {
		t.Fatal(err)
	}
	for name, picture := range map[string]string{"allowed": allowedVersionsSVG(p, version.Minor{Major: 1, Minor: 37}), "stages": stagesSVG(r), "checked": checksSVG(), "fleet": fleetSVG()} {
		if strings.Contains(picture, "var(") {
			t.Errorf("%s uses a custom property", name)
		}
		for _, e := range elements(t, picture) {
			if slices.Contains([]string{"rect", "text", "path"}, e.name) && e.fill == "" {
				t.Errorf("%s: a %s of class %q has no fill", name, e.name, e.class)
			}
		}
	}
}

type element struct{ name, class, fill, text string }

// elements parses a picture as XML and returns its elements in order.
func elements(t *testing.T, picture string) []element {
	t.Helper()
	var all []element
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s\n%s", err, picture)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "class":
					e.class = a.Value
				case "fill":
					e.fill = a.Value
				}
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += strings.TrimSpace(string(token))
			}
		}
	}
}
