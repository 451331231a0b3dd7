// SPDX-License-Identifier: MPL-2.0

// Package tfvalue reads and writes values of the plugin protocol. A cluster may have
// thousands of node pools, for which the framework's reflection would take longer than
// evaluating them.
package tfvalue

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/big"
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
)

// IsSet reports whether a value is known and not null.
func IsSet(v tftypes.Value) bool { return v.IsKnown() && !v.IsNull() }

// Fields returns the attributes of an object or the elements of a map, or nil if the
// value is null or unknown.
func Fields(v tftypes.Value) map[string]tftypes.Value {
	var fields map[string]tftypes.Value
	if IsSet(v) {
		must(v.As(&fields))
	}
	return fields
}

// Elements returns the elements of a list, or nil if the value is null or unknown.
func Elements(v tftypes.Value) []tftypes.Value {
	var elements []tftypes.Value
	if IsSet(v) {
		must(v.As(&elements))
	}
	return elements
}

// String returns a string, or "" if the value is null or unknown.
func String(v tftypes.Value) string {
	var s string
	if IsSet(v) {
		must(v.As(&s))
	}
	return s
}

// Bool returns a bool, or false if the value is null or unknown.
func Bool(v tftypes.Value) bool {
	var b bool
	if IsSet(v) {
		must(v.As(&b))
	}
	return b
}

// Number returns a number, or 0 if the value is null or unknown.
func Number(v tftypes.Value) *big.Float {
	n := new(big.Float)
	if IsSet(v) {
		must(v.As(n))
	}
	return n
}

// Plain converts a value to what encoding/json takes: to nil if it is null or unknown, and
// otherwise to a bool, a float64, a string, or a map or slice of these. A map leaves out
// elements that would be nil.
func Plain(v tftypes.Value) any {
	if !IsSet(v) {
		return nil
	}
	switch v.Type().(type) {
	case tftypes.Object, tftypes.Map:
		fields := map[string]any{}
		for name, field := range Fields(v) {
			if plain := Plain(field); plain != nil {
				fields[name] = plain
			}
		}
		return fields
	case tftypes.List, tftypes.Set, tftypes.Tuple:
		elements := []any{}
		for _, element := range Elements(v) {
			elements = append(elements, Plain(element))
		}
		return elements
	}
	switch {
	case v.Type().Is(tftypes.Bool):
		return Bool(v)
	case v.Type().Is(tftypes.Number):
		n, _ := Number(v).Float64() // exact for every number that is in range
		return max(-math.MaxFloat64, min(n, math.MaxFloat64))
	}
	return String(v)
}

// Read sets the fields of a struct with tfsdk tags to the attributes of an object. It panics
// if the object does not have one of them, because that is a programming error. The fields
// of an object that is null or unknown stay null.
func Read(object tftypes.Value, model any) {
	if IsSet(object) {
		read(Fields(object), reflect.ValueOf(model).Elem())
	}
}

func read(attributes map[string]tftypes.Value, model reflect.Value) {
	for i := range model.NumField() {
		field := model.Type().Field(i)
		if field.Anonymous {
			read(attributes, model.Field(i))
			continue
		}
		value, ok := attributes[field.Tag.Get("tfsdk")]
		if !ok {
			panic(fmt.Sprintf("tfvalue: the schema has no attribute %q", field.Tag.Get("tfsdk")))
		}
		model.Field(i).Set(reflect.ValueOf(value))
	}
}

// With returns an object in which the fields of a model replace attributes. The model is
// a struct with tfsdk tags. An object that is null or unknown stays as it is.
func With(object tftypes.Value, model any) tftypes.Value {
	if !IsSet(object) {
		return object
	}
	all := maps.Clone(Fields(object))
	for name, output := range namedFields(reflect.ValueOf(model)) {
		attribute := ObjectType(object.Type()).AttributeTypes[name]
		if attribute == nil {
			panic(fmt.Sprintf("tfvalue: the schema has no attribute %q", name))
		}
		all[name] = Of(attribute, output.Interface())
	}
	return tftypes.NewValue(object.Type(), all)
}

// Of converts a Go value to a value of a type. It accepts structs with tfsdk tags, maps,
// slices, strings, bools, numbers and tftypes values. nil becomes null, and so do
// attributes that a struct or map does not contain.
func Of(t tftypes.Type, v any) tftypes.Value {
	var out bytes.Buffer
	encoder{msgpack.NewEncoder(&out)}.write(t, reflect.ValueOf(v))
	value, err := tfprotov6.DynamicValue{MsgPack: out.Bytes()}.Unmarshal(t)
	must(err)
	return value
}

// namedFields yields the fields of a struct by tag, or the elements of a map.
func namedFields(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		if v.Kind() == reflect.Map {
			for name, field := range v.Seq2() {
				if !yield(name.String(), field) {
					return
				}
			}
			return
		}
		for i := range v.NumField() {
			if !yield(v.Type().Field(i).Tag.Get("tfsdk"), v.Field(i)) {
				return
			}
		}
	}
}

// ObjectType returns an object type. It panics for any other type.
func ObjectType(t tftypes.Type) tftypes.Object {
	object, ok := t.(tftypes.Object)
	if !ok {
		panic(fmt.Sprintf("tfvalue: %s is not an object type", t))
	}
	return object
}

// must panics if a value does not have the type that the schema requires.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("tfvalue: a value does not have the type in the schema: %s", err))
	}
}
