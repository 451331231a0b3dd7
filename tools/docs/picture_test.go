package main

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

var update = flag.Bool("update", false, "rewrite the golden file")

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
		t.Errorf("%s has changed; look at the picture, and run go test ./docs -update if it is meant:\n%s", golden, diff)
	}

	// The cells of a row are what the policy allows, as text.
	rows := map[string][]string{}
	row := ""
	for _, e := range elements(t, picture) {
		switch {
		case e.name == "text" && e.class == "":
			row = e.text
		case e.name == "text" && e.class == "version":
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
			t.Errorf("%s at %s, want %s", component, got, want)
		}
	}
}

// TestAllowedVersionsSVGIsXML: every policy can be drawn, whatever its
// components are called and however far they may be off.
func TestAllowedVersionsSVGIsXML(t *testing.T) {
	p, err := policy.Parse(`{"extends": "kubernetes", "skew_rules": {"odd": {"subject": "<b>&\"odd\"", "reference": "kube-apiserver", "scope": "cluster", "max_older": 1}, "only-newer": {"subject": "only-newer", "reference": "kube-apiserver", "scope": "cluster", "max_newer": 2}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, minor := range []int{0, 1, 37} {
		texts := ""
		columns := map[string]bool{}
		for _, e := range elements(t, allowedVersionsSVG(p, version.Minor{Major: 1, Minor: minor})) {
			texts += e.name + " " + e.text + "\n"
			if strings.HasPrefix(e.class, "minor") {
				if columns[e.text] {
					t.Errorf("1.%d: there are two columns %s", minor, e.text)
				}
				columns[e.text] = true
			}
		}
		for _, want := range []string{"text <b>&\"odd\"\n", "title What may run beside kube-apiserver 1."} {
			if !strings.Contains(texts, want) {
				t.Errorf("no %q in\n%s", want, texts)
			}
		}
	}
}

type element struct{ name, class, text string }

// elements reads a picture as XML, as what shows it does.
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
				if a.Name.Local == "class" {
					e.class = a.Value
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
