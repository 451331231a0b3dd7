package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Values are read as they come over the wire. The framework's reflection into
// structs costs more than all that is done with them, and a cluster may hold
// thousands of node pools.

// isSet reports whether a value is known and not null.
func isSet(v tftypes.Value) bool { return v.IsKnown() && !v.IsNull() }

// fieldsOf returns the attributes of an object, or the elements of a map; none
// unless it is set.
func fieldsOf(v tftypes.Value) map[string]tftypes.Value {
	var fields map[string]tftypes.Value
	if isSet(v) {
		must(v.As(&fields))
	}
	return fields
}

// elementsOf returns the elements of a list; none unless it is set.
func elementsOf(v tftypes.Value) []tftypes.Value {
	var elements []tftypes.Value
	if isSet(v) {
		must(v.As(&elements))
	}
	return elements
}

// stringOf returns a string; "" unless it is set.
func stringOf(v tftypes.Value) string {
	var s string
	if isSet(v) {
		must(v.As(&s))
	}
	return s
}

// objectOf returns an object type, also if it is that of the elements of a map.
func objectOf(t tftypes.Type) tftypes.Object {
	switch t := t.(type) {
	case tftypes.Object:
		return t
	case tftypes.Map:
		return objectOf(t.ElementType)
	}
	panic(fmt.Sprintf("provider: %s is no object", t))
}

// must holds the schema to its word: the types of all values follow from it.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("provider: a value is not of the type in the schema: %s", err))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
