// SPDX-License-Identifier: MPL-2.0

package policy

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
	"sigs.k8s.io/yaml"
)

// ParseError contains all mistakes in a policy.
type ParseError struct {
	Mistakes []Mistake
}

// Mistake is one mistake in a policy. Its path consists of field names, such as
// skew_rules, kubelet-apiserver, max_older.
type Mistake struct {
	At []string
	// Text says what is wrong: a clause without a full stop.
	Text string
	// Meant is the known name that a misspelled one resembles, or "".
	Meant string
	// Repair says what to do: a clause without a full stop.
	Repair string
}

// String returns the mistake in the form "skew_rules.kubelet-apiserver.max_older:
// ...".
func (p Mistake) String() string {
	text := p.Text
	if p.Meant != "" {
		text += fmt.Sprintf(" (did you mean %q?)", p.Meant)
	}
	if p.Repair != "" {
		text += ". " + p.Repair
	}
	if len(p.At) == 0 {
		return text
	}
	return strings.Join(p.At, ".") + ": " + text
}

// unknownName returns the mistake of an unknown name. what describes the known names, as
// in "the built-in policies".
func unknownName(at []string, text, name string, names []string, what string) Mistake {
	p := Mistake{At: at, Text: text, Meant: suggest.Name(name, names), Repair: "Remove it"}
	if len(names) > 0 {
		p.Repair = fmt.Sprintf("Use one of %s: %s", what, strings.Join(names, ", "))
	}
	return p
}

// tooLong returns the mistake of a name with more than MaxName characters.
func tooLong(at []string) Mistake {
	return Mistake{At: at, Text: fmt.Sprintf("this name has more than %d characters", MaxName), Repair: "Shorten it"}
}

// mistakesUnder returns the mistakes of an error, with paths below at.
func mistakesUnder(at []string, err error) []Mistake {
	mistakes := slices.Clone(Mistakes(err))
	for i := range mistakes {
		mistakes[i].At = under(at, mistakes[i].At...)
	}
	return mistakes
}

// Error returns all mistakes, one per line.
func (e *ParseError) Error() string {
	var lines []string
	for _, p := range e.Mistakes {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// Mistakes returns the mistakes of an error of this package, at least one.
func Mistakes(err error) []Mistake {
	var parseError *ParseError
	if errors.As(err, &parseError) && len(parseError.Mistakes) > 0 {
		return parseError.Mistakes
	}
	return []Mistake{{Text: err.Error(), Repair: "Correct the policy"}}
}

// Parse parses a policy in JSON. It can extend a built-in policy by name. Otherwise
// it is complete, like the result of Policy.ResolvedJSON. Unknown fields, IDs and
// components, and limits out of range, are errors. The error is always a
// *ParseError.
func Parse(text string) (*Policy, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	return d.resolve()
}

// resolve compiles a document that extends a built-in policy, or none.
func (d document) resolve() (*Policy, error) {
	if d.Extends == "" {
		return d.alone()
	}
	base, err := Builtin(d.Extends)
	if err != nil {
		return nil, &ParseError{mistakesUnder([]string{"extends"}, err)}
	}
	if same(&d, &document{Extends: d.Extends}) {
		return base, nil
	}
	return d.extend(base)
}

// alone compiles a document that extends nothing.
func (d document) alone() (*Policy, error) {
	base, mistakes := d.including(document{})
	mistakes = append(mistakes, d.unknownIDs(base)...)
	whole := d.over(base)
	whole.Name, whole.BasedOn = d.Name, d.BasedOn
	return whole.finish(mistakes)
}

// Extend works like Parse, but the document extends the given policy.
func Extend(base *Policy, text string) (*Policy, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	return d.extend(base)
}

func read(text string) (document, error) {
	var d document
	var r reader
	r.read(nil, []byte(text), reflect.ValueOf(&d).Elem())
	if len(r.mistakes) > 0 {
		return document{}, &ParseError{r.mistakes}
	}
	return d, nil
}

func (d document) extend(base *Policy) (*Policy, error) {
	from, mistakes := d.including(base.inherited())
	mistakes = append(mistakes, d.unknownIDs(from)...)
	whole := d.over(from)
	whole.BasedOn = cmp.Or(base.builtin, whole.BasedOn)
	p, err := whole.finish(mistakes)
	if err != nil {
		return nil, err
	}
	p.builtin = base.builtin
	return p, nil
}

func (d document) finish(mistakes []Mistake) (*Policy, error) {
	p, more := d.compile()
	if mistakes = append(mistakes, more...); len(mistakes) > 0 {
		return nil, &ParseError{mistakes}
	}
	return p, nil
}

// readYAML parses an embedded policy. Its errors are bugs in this repository.
func readYAML(name string, text []byte) (document, error) {
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return document{}, fmt.Errorf("policy %s: %w", name, err)
	}
	d, err := read(string(asJSON))
	if err != nil {
		return document{}, fmt.Errorf("policy %s: %w", name, err)
	}
	d.Name = name
	return d, nil
}

// reader decodes JSON field by field to find all mistakes and their paths. The
// standard library stops at the first mistake and does not report its path.
type reader struct {
	mistakes []Mistake
}

func (r *reader) complain(at []string, text, repair string) {
	r.mistakes = append(r.mistakes, Mistake{At: at, Text: text, Repair: repair})
}

// maxQuoted is the largest number of characters of a JSON value that a mistake quotes.
const maxQuoted = 40

// shortened returns the first maxQuoted characters of a text.
func shortened(text string) string {
	if all := []rune(text); len(all) > maxQuoted {
		return string(all[:maxQuoted]) + "..."
	}
	return text
}

// wrongType reports a value of another type. is completes a sentence that starts with the
// value.
func (r *reader) wrongType(at []string, value []byte, is, repair string) {
	r.complain(at, shortened(strings.Join(strings.Fields(string(value)), " "))+" "+is, repair)
}

func (r *reader) notString(at []string, value []byte) {
	r.wrongType(at, value, "is not a string", "Write it in quotes")
}

func (r *reader) read(at []string, text []byte, into reflect.Value) {
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return // the same as a missing field
	}
	if u, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		r.text(at, text, u)
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		v := reflect.New(into.Type().Elem())
		r.read(at, text, v.Elem())
		into.Set(v)
	case reflect.Struct:
		r.object(at, text, func(name string, value json.RawMessage) {
			field, ok := fieldNamed(into, name)
			if !ok {
				r.mistakes = append(r.mistakes, unknownName(under(at, name), "unknown field", name, fieldNames(into.Type()), "the known fields"))
				return
			}
			r.read(under(at, name), value, field)
		})
		r.sourced(at, into)
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		r.object(at, text, func(name string, value json.RawMessage) {
			if bytes.Equal(value, []byte("null")) {
				return
			}
			v := reflect.New(into.Type().Elem()).Elem()
			r.read(under(at, name), value, v)
			into.SetMapIndex(reflect.ValueOf(name), v)
		})
	case reflect.Slice:
		var elements []json.RawMessage
		if json.Unmarshal(text, &elements) != nil {
			r.wrongType(at, text, "is not a list", "Write the elements in square brackets")
		}
		into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
		for i, element := range elements {
			r.read(under(at, fmt.Sprint(i)), element, into.Index(i))
		}
	default:
		r.scalar(at, text, into)
	}
}

// text reads a date or a version constraint.
func (r *reader) text(at []string, text []byte, into encoding.TextUnmarshaler) {
	var s string
	if json.Unmarshal(text, &s) != nil {
		r.notString(at, text)
	} else if err := into.UnmarshalText([]byte(s)); err != nil {
		_, repair, _ := strings.Cut(err.Error(), ". ")
		what := "date"
		if _, ok := into.(*version.Constraint); ok {
			what, repair = "version constraint", `Write one such as ">= 1.28, < 1.32"`
		}
		r.complain(at, fmt.Sprintf("invalid %s %q", what, s), repair)
	}
}

// scalar reads a string, a number or a bool.
func (r *reader) scalar(at []string, text []byte, into reflect.Value) {
	switch {
	case json.Unmarshal(text, into.Addr().Interface()) == nil:
	case into.Kind() == reflect.Int:
		r.wrongType(at, text, "is not a whole number", "Write a whole number without quotes, such as 2")
	case into.Kind() == reflect.Bool:
		r.wrongType(at, text, "is neither true nor false", "Write true or false")
	default:
		r.notString(at, text)
	}
}

// sourced reports fields that describe a source if there is none. They would be taken
// to describe an inherited one.
func (r *reader) sourced(at []string, into reflect.Value) {
	source, ok := fieldNamed(into, "source")
	if !ok || !source.IsZero() {
		return
	}
	about := map[string]string{"moved_from": "that replaces this one", "read_on": "that was read on this day", "read_from": "that this third party quotes"}
	for _, name := range slices.Sorted(maps.Keys(about)) {
		if field, ok := fieldNamed(into, name); ok && !field.IsZero() {
			r.complain(under(at, name), "missing source", "Set source to the URL "+about[name])
		}
	}
}

// object reads the fields of a JSON object, sorted by name. Duplicate fields are
// mistakes.
func (r *reader) object(at []string, text []byte, field func(string, json.RawMessage)) {
	fields := map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	fail := func() {
		if len(at) == 0 {
			r.mistakes = append(r.mistakes, invalidJSON(text))
		} else {
			r.wrongType(at, text, "is not an object", "Write the fields in braces")
		}
	}
	if token, _ := decoder.Token(); token != json.Delim('{') {
		fail()
		return
	}
	for decoder.More() {
		token, _ := decoder.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if !ok || decoder.Decode(&value) != nil {
			fail()
			return
		}
		if _, twice := fields[name]; twice {
			r.complain(under(at, name), "set twice", "Remove one of the two")
		}
		fields[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		fail()
		return
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		r.complain(at, "unexpected text after the JSON object", "Remove it")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if IsTooLong(name) {
			r.mistakes = append(r.mistakes, tooLong(under(at, shortened(name))))
			continue
		}
		field(name, fields[name])
	}
}

// invalidJSON returns the mistake of a text that is not a JSON object, with the place and
// the most likely cause if its syntax is invalid.
func invalidJSON(text []byte) Mistake {
	var value json.RawMessage
	var syntax *json.SyntaxError
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&value)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Mistake{Text: "the JSON ends too early", Repair: "Add what is missing at its end, such as a quote, a bracket or a brace"}
	}
	if !errors.As(err, &syntax) || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return Mistake{Text: "not a JSON object", Repair: "Write the fields in braces"}
	}
	before, rest := text[:syntax.Offset-1], text[syntax.Offset-1:]
	r, _ := utf8.DecodeRune(rest)
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	at := fmt.Sprintf("line %d, column %d of the JSON", line, column)
	afterComma := bytes.HasSuffix(bytes.TrimSpace(before), []byte(","))
	switch {
	case r == '\n':
		return Mistake{Text: "a string contains a line break in " + at, Repair: `End the string with a quote, or write the line break as \n`}
	case r < ' ':
		return Mistake{Text: "unexpected control character in " + at, Repair: "Remove it"}
	case afterComma && (r == '}' || r == ']'):
		return Mistake{Text: fmt.Sprintf("unexpected %q in %s", string(r), at), Repair: "Remove the comma before it"}
	case r == '\'':
		return Mistake{Text: "unexpected ' in " + at, Repair: "Write names and strings in double quotes"}
	case r == '/' || r == '#':
		return Mistake{Text: fmt.Sprintf("unexpected %q in %s", string(r), at), Repair: "Remove comments, which JSON does not have"}
	}
	return Mistake{Text: fmt.Sprintf("unexpected %q in %s", string(r), at), Repair: "Correct the JSON there: check the commas and colons, and write names in double quotes"}
}

// fieldNamed finds a struct field by its JSON name.
func fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if found, ok := fieldNamed(v.Field(i), name); ok {
				return found, true
			}
		} else if name != "-" && jsonName(f) == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fieldNames(f.Type)...)
		} else if name := jsonName(f); name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
