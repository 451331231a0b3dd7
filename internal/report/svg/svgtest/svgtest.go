// SPDX-License-Identifier: MPL-2.0

// Package svgtest reads pictures in tests.
package svgtest

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Element is an element of a picture. Class and Fill are its own or those of the group
// around it.
type Element struct {
	Name, Class, Fill, Text string
	X, Y                    int
}

// Parse reads a picture as XML and returns its elements in order. It fails the test if a
// color could get lost: if an element has no fill, or one that some renderers ignore.
func Parse(t testing.TB, picture string) []Element {
	t.Helper()
	if strings.Contains(picture, "var(") {
		t.Error("the picture uses a custom property, which some renderers do not support")
	}
	var all []Element
	var group Element
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
			e := Element{Name: token.Name.Local, Class: group.Class, Fill: group.Fill}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "class":
					e.Class = a.Value
				case "fill":
					e.Fill = a.Value
				case "x":
					e.X, _ = strconv.Atoi(a.Value)
				case "y":
					e.Y, _ = strconv.Atoi(a.Value)
				}
			}
			switch e.Name {
			case "g":
				group = e
			case "rect", "path", "text":
				if e.Fill == "" {
					t.Errorf("a %s of class %q has no fill", e.Name, e.Class)
				}
			}
			all = append(all, e)
		case xml.EndElement:
			if token.Name.Local == "g" {
				group = Element{}
			}
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].Text += strings.TrimSpace(string(token))
			}
		}
	}
}

// Row is the texts of a picture at the same height, from left to right. Marked texts are on
// a filled cell.
type Row struct {
	Label  string
	Cells  []string
	Marked []string
}

// Rows returns the rows of a picture, from top to bottom. The label of a row is its first
// text.
func Rows(t testing.TB, picture string) []Row {
	t.Helper()
	byHeight := map[int][]Element{}
	for _, e := range Parse(t, picture) {
		if e.Name == "text" {
			byHeight[e.Y] = append(byHeight[e.Y], e)
		}
	}
	var rows []Row
	for _, y := range slices.Sorted(maps.Keys(byHeight)) {
		texts := byHeight[y]
		slices.SortFunc(texts, func(a, b Element) int { return cmp.Compare(a.X, b.X) })
		row := Row{Label: texts[0].Text}
		for _, e := range texts[1:] {
			row.Cells = append(row.Cells, e.Text)
			if e.Class == "on-fill" {
				row.Marked = append(row.Marked, e.Text)
			}
		}
		rows = append(rows, row)
	}
	return rows
}
