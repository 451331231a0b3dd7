// SPDX-License-Identifier: MPL-2.0

// Package field parses the values of the release data files: the built-in table and
// the two files of the Kubernetes project that it is generated from. All their values
// have to be strings: without quotes, YAML reads 1.30 as the number 1.3, a minor that
// is ten years older.
package field

import (
	"encoding/json"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// String is a string of a YAML file, or null. It accepts any value without an error
// and leaves it to Parse to report values that are not strings, so that all
// problems of a file can be reported together. A Go string would not work:
// sigs.k8s.io/yaml silently converts the number 1.30 into one.
type String struct {
	text string
	// other is a value that is not a string, as JSON.
	other string
}

// UnmarshalJSON accepts any value and never fails.
func (s *String) UnmarshalJSON(data []byte) error {
	*s = String{}
	if err := json.Unmarshal(data, &s.text); err != nil {
		s.other = string(data)
	}
	return nil
}

// Problems collects the problems of a file. Combine them with errors.Join.
type Problems []error

// Add adds a problem. The place says where in the file it is.
func (p *Problems) Add(place, format string, args ...any) {
	*p = append(*p, fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...)))
}

// Parse parses a string with a function such as Minor. It returns the zero value
// for a missing or empty string, for null, and for invalid values.
func Parse[T any](p *Problems, place string, s String, parse func(string) (T, error)) T {
	switch {
	case s.other != "":
		p.Add(place, "%s is not a string; put it in quotes: without them, YAML reads 1.30 as the number 1.3", s.other)
	case s.text != "":
		v, err := parse(s.text)
		if err == nil {
			return v
		}
		p.Add(place, "%w", err)
	}
	return *new(T)
}

// Text accepts any string.
func Text(s string) (string, error) { return s, nil }

// Minor parses major.minor, such as "1.30".
func Minor(s string) (version.Minor, error) {
	v, err := version.Parse(s)
	if err != nil {
		return version.Minor{}, err
	}
	if v.Minor().String() != s {
		return version.Minor{}, fmt.Errorf(`%q is not a minor such as "1.30"`, s)
	}
	return v.Minor(), nil
}

// Patch parses major.minor.patch, such as "1.30.14", without a pre-release or a
// build.
func Patch(s string) (version.Version, error) {
	v, err := version.Parse(s)
	if err != nil {
		return version.Version{}, err
	}
	if patch, _ := v.Patch(); fmt.Sprintf("%s.%d", v.Minor(), patch) != s {
		return version.Version{}, fmt.Errorf(`%q is not a patch release such as "1.30.14"`, s)
	}
	return v, nil
}
