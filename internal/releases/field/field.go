// Package field reads the values of the release data files: the project's own
// table and the two files of the Kubernetes project that it is made from. In
// all of them every value is a string, and has to be: without quotes YAML takes
// 1.30 for the number 1.3, a minor that is ten years older.
package field

import (
	"encoding/json"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// String is a string of a YAML file, or null. It reads every value without an
// error, and leaves it to Parse to say that one is no string: so that all
// problems of a file can be reported together. (A Go string would not do: into
// one of those sigs.k8s.io/yaml turns 1.30 without a word.)
type String struct {
	text string
	// other is a value that is no string, as JSON.
	other string
}

// UnmarshalJSON reads any value and never fails.
func (s *String) UnmarshalJSON(data []byte) error {
	*s = String{}
	if err := json.Unmarshal(data, &s.text); err != nil {
		s.other = string(data)
	}
	return nil
}

// Problems collects what is wrong with a file; errors.Join makes one error of
// it.
type Problems []error

// Add adds a problem. The place says where in the file it is.
func (p *Problems) Add(place, format string, args ...any) {
	*p = append(*p, fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...)))
}

// Parse reads a string with a function such as Minor. A missing or empty
// string, null and all that is a problem give the zero value.
func Parse[T any](p *Problems, place string, s String, parse func(string) (T, error)) T {
	switch {
	case s.other != "":
		p.Add(place, "%s is not a string; put it in quotes, for without them YAML takes 1.30 for the number 1.3", s.other)
	case s.text != "":
		v, err := parse(s.text)
		if err == nil {
			return v
		}
		p.Add(place, "%w", err)
	}
	return *new(T)
}

// Text reads any string as it is.
func Text(s string) (string, error) { return s, nil }

// Minor reads major.minor, such as "1.30".
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

// Patch reads major.minor.patch, such as "1.30.14", without a pre-release or a
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
