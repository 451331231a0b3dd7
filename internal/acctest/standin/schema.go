// SPDX-License-Identifier: MPL-2.0

package standin

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"sigs.k8s.io/yaml"
)

// Environment is the environment variable with the path of the platform file. Stand-in
// providers that run as separate processes read it.
const Environment = "VERSIONSKEW_TEST_PLATFORM"

//go:embed schemas.yaml
var document []byte

// providers returns the schemas by provider address, such as hashicorp/aws.
var providers = sync.OnceValues(func() (p map[string]provider, err error) {
	return p, yaml.UnmarshalStrict(document, &p)
})

type provider struct {
	Provider    block            `json:"provider"`
	Resources   map[string]block `json:"resources"`
	DataSources map[string]block `json:"data_sources"`
}

type block struct {
	Attributes map[string]attribute `json:"attributes"`
	BlockTypes map[string]block     `json:"block_types"`
}

type attribute struct {
	Type     any  `json:"type"`
	Required bool `json:"required"`
	Optional bool `json:"optional"`
	Computed bool `json:"computed"`
}

// Addresses returns the addresses of all stand-in providers, such as hashicorp/aws.
func Addresses() ([]string, error) {
	p, err := providers()
	return slices.Sorted(maps.Keys(p)), err
}

// schema converts a block to the type of the protocol. Nested blocks are lists.
func (b block) schema() (*tfprotov6.SchemaBlock, error) {
	out := &tfprotov6.SchemaBlock{}
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		a := b.Attributes[name]
		t, err := parseType(a.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.Attributes = append(out.Attributes, &tfprotov6.SchemaAttribute{
			Name: name, Type: t, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested, err := b.BlockTypes[name].schema()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.BlockTypes = append(out.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name, Nesting: tfprotov6.SchemaNestedBlockNestingModeList, Block: nested,
		})
	}
	return out, nil
}

func schemas(blocks map[string]block) (map[string]*tfprotov6.Schema, error) {
	out := map[string]*tfprotov6.Schema{}
	for name, b := range blocks {
		s, err := b.schema()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = &tfprotov6.Schema{Block: s}
	}
	return out, nil
}

var primitives = map[string]tftypes.Type{
	"string": tftypes.String, "number": tftypes.Number, "bool": tftypes.Bool, "dynamic": tftypes.DynamicPseudoType,
}

// parseType parses a type in the format of terraform providers schema -json.
func parseType(t any) (tftypes.Type, error) {
	switch t := t.(type) {
	case string:
		if p, ok := primitives[t]; ok {
			return p, nil
		}
	case []any:
		if len(t) != 2 {
			break
		}
		if attributes, ok := t[1].(map[string]any); ok && t[0] == "object" {
			object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
			for name, a := range attributes {
				parsed, err := parseType(a)
				if err != nil {
					return nil, err
				}
				object.AttributeTypes[name] = parsed
			}
			return object, nil
		}
		element, err := parseType(t[1])
		if err != nil {
			return nil, err
		}
		switch t[0] {
		case "list":
			return tftypes.List{ElementType: element}, nil
		case "set":
			return tftypes.Set{ElementType: element}, nil
		case "map":
			return tftypes.Map{ElementType: element}, nil
		}
	}
	return nil, fmt.Errorf("unknown type %v", t)
}
