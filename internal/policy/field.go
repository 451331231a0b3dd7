// SPDX-License-Identifier: MPL-2.0

package policy

import (
	_ "embed" // for policy.schema.json
	"encoding/json"
	"strings"
	"sync"
)

// Field is a field of a policy, as policy.schema.json describes it.
type Field struct {
	Description string // Markdown
	// Kind is one of the types of JSON Schema, such as "string".
	Kind string
	// Fields are the fields of an object. Keyed by name.
	Fields map[string]*Field
	// Elements describes the elements of an array, or of an object whose keys are names.
	Elements *Field
}

//go:embed policy.schema.json
var schemaFile []byte

// Fields returns the fields of a policy by name.
var Fields = sync.OnceValue(func() map[string]*Field {
	var root definition
	unmarshal(string(schemaFile), &root)
	return root.field(root.Defs).Fields
})

// definition is the part of a JSON Schema that a Field follows from.
type definition struct {
	Ref         string                 `json:"$ref"`
	Defs        map[string]*definition `json:"$defs"`
	Description string                 `json:"description"`
	Type        any                    `json:"type"` // a type, or a list of types, the last of which is null
	Properties  map[string]*definition `json:"properties"`
	Items       *definition            `json:"items"`
	AnyOf       []*definition          `json:"anyOf"` // a definition or null
	Additional  json.RawMessage        `json:"additionalProperties"`
}

// field returns the field that a definition describes. What it refers to comes first.
func (d *definition) field(defs map[string]*definition) *Field {
	out := &Field{Kind: "string"} // of an enumeration
	if d.Ref != "" {
		*out = *defs[strings.TrimPrefix(d.Ref, "#/$defs/")].field(defs)
	} else if len(d.AnyOf) > 0 {
		return d.AnyOf[0].field(defs)
	}
	if d.Description != "" {
		out.Description = d.Description
	}
	switch t := d.Type.(type) {
	case string:
		out.Kind = t
	case []any:
		out.Kind, _ = t[0].(string)
	}
	if d.Properties != nil {
		out.Fields = map[string]*Field{}
		for name, property := range d.Properties {
			out.Fields[name] = property.field(defs)
		}
	}
	var elements definition
	switch {
	case d.Items != nil:
		out.Elements = d.Items.field(defs)
	case json.Unmarshal(d.Additional, &elements) == nil: // not false
		out.Elements = elements.field(defs)
	}
	return out
}
