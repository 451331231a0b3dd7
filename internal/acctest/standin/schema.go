// SPDX-License-Identifier: MPL-2.0

package standin

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"sigs.k8s.io/yaml"
)

//go:embed schemas/*.json unchecked.yaml
var files embed.FS

// Excerpt is a part of the schema of a real provider. It omits all descriptions.
type Excerpt struct {
	// Provider is the address of the provider, such as hashicorp/aws.
	Provider string `json:"provider"`
	// Version is the version of the provider that printed the schema.
	Version string `json:"version"`
	Schemas
}

// Schemas contains schemas in the format of terraform providers schema -json.
type Schemas struct {
	Configuration *Schema           `json:"configuration,omitempty"`
	Resources     map[string]Schema `json:"resource_schemas,omitempty"`
	DataSources   map[string]Schema `json:"data_source_schemas,omitempty"`
}

// Schema is the schema of a provider configuration, a resource type or a data source.
type Schema struct {
	Version int64 `json:"version,omitempty"`
	Block   block `json:"block"`
}

type block struct {
	Attributes map[string]attribute   `json:"attributes,omitempty"`
	BlockTypes map[string]nestedBlock `json:"block_types,omitempty"`
	Deprecated bool                   `json:"deprecated,omitempty"`
}

type nestedBlock struct {
	Block       block  `json:"block"`
	NestingMode string `json:"nesting_mode"`
	MinItems    int64  `json:"min_items,omitempty"`
	MaxItems    int64  `json:"max_items,omitempty"`
}

type attribute struct {
	Type       json.RawMessage `json:"type,omitempty"`
	NestedType *nestedType     `json:"nested_type,omitempty"`
	Required   bool            `json:"required,omitempty"`
	Optional   bool            `json:"optional,omitempty"`
	Computed   bool            `json:"computed,omitempty"`
	Sensitive  bool            `json:"sensitive,omitempty"`
	Deprecated bool            `json:"deprecated,omitempty"`
	WriteOnly  bool            `json:"write_only,omitempty"`
}

type nestedType struct {
	Attributes  map[string]attribute `json:"attributes"`
	NestingMode string               `json:"nesting_mode"`
}

// Excerpts returns the excerpts by provider address. Like the other functions of this file, it
// panics if an embedded file is invalid.
var Excerpts = sync.OnceValue(func() map[string]Excerpt {
	all := map[string]Excerpt{}
	for _, entry := range must(files.ReadDir("schemas")) {
		var e Excerpt
		if err := json.Unmarshal(must(files.ReadFile(path.Join("schemas", entry.Name()))), &e); err != nil {
			panic(fmt.Errorf("%s: %w", entry.Name(), err))
		}
		all[e.Provider] = e
	}
	return all
})

// Unchecked returns the schemas that were written by hand, by provider address. Nothing
// compares them with the real provider.
var Unchecked = sync.OnceValue(func() (all map[string]Schemas) {
	if err := yaml.UnmarshalStrict(must(files.ReadFile("unchecked.yaml")), &all); err != nil {
		panic(fmt.Errorf("unchecked.yaml: %w", err))
	}
	return all
})

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// schemasOf returns everything that the stand-in for a provider serves.
func schemasOf(address string) *tfprotov6.GetProviderSchemaResponse {
	excerpt, written := Excerpts()[address], Unchecked()[address]
	all := &tfprotov6.GetProviderSchemaResponse{
		Provider:          cmp.Or(excerpt.Configuration, written.Configuration, &Schema{}).convert(),
		ResourceSchemas:   map[string]*tfprotov6.Schema{},
		DataSourceSchemas: map[string]*tfprotov6.Schema{},
	}
	for _, schemas := range []Schemas{written, excerpt.Schemas} {
		for name, s := range schemas.Resources {
			all.ResourceSchemas[name] = s.convert()
		}
		for name, s := range schemas.DataSources {
			all.DataSourceSchemas[name] = s.convert()
		}
	}
	return all
}

// Addresses returns the addresses of all stand-in providers, such as hashicorp/aws.
func Addresses() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(Excerpts())), maps.Keys(Unchecked()))
	slices.Sort(all)
	return slices.Compact(all)
}

// Version returns the version of the provider that a stand-in imitates. It is 0.0.1 if no
// version is known, and the first release of a series such as 6.x.
func Version(address string) string {
	return cmp.Or(strings.Replace(Excerpts()[address].Version, ".x", ".0.0", 1), "0.0.1")
}

// convert converts a schema to the type of the protocol.
func (s Schema) convert() *tfprotov6.Schema {
	return &tfprotov6.Schema{Version: s.Version, Block: s.Block.convert()}
}

func (b block) convert() *tfprotov6.SchemaBlock {
	out := &tfprotov6.SchemaBlock{Attributes: convertAttributes(b.Attributes), Deprecated: b.Deprecated}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		out.BlockTypes = append(out.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name, Block: nested.Block.convert(), Nesting: mode(blockNesting, nested.NestingMode), MinItems: nested.MinItems, MaxItems: nested.MaxItems,
		})
	}
	return out
}

var blockNesting = map[string]tfprotov6.SchemaNestedBlockNestingMode{
	"single": tfprotov6.SchemaNestedBlockNestingModeSingle,
	"group":  tfprotov6.SchemaNestedBlockNestingModeGroup,
	"list":   tfprotov6.SchemaNestedBlockNestingModeList,
	"set":    tfprotov6.SchemaNestedBlockNestingModeSet,
	"map":    tfprotov6.SchemaNestedBlockNestingModeMap,
}

var objectNesting = map[string]tfprotov6.SchemaObjectNestingMode{
	"single": tfprotov6.SchemaObjectNestingModeSingle,
	"list":   tfprotov6.SchemaObjectNestingModeList,
	"set":    tfprotov6.SchemaObjectNestingModeSet,
	"map":    tfprotov6.SchemaObjectNestingModeMap,
}

func mode[M any](modes map[string]M, name string) M {
	m, ok := modes[name]
	if !ok {
		panic(fmt.Sprintf("unknown nesting mode %q", name))
	}
	return m
}

func convertAttributes(all map[string]attribute) (out []*tfprotov6.SchemaAttribute) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		converted := &tfprotov6.SchemaAttribute{
			Name: name, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, Deprecated: a.Deprecated, WriteOnly: a.WriteOnly,
		}
		if a.NestedType == nil {
			converted.Type = must(tftypes.ParseJSONType(a.Type)) //nolint:staticcheck // There is no other parser of this format.
		} else {
			converted.NestedType = &tfprotov6.SchemaObject{Nesting: mode(objectNesting, a.NestedType.NestingMode), Attributes: convertAttributes(a.NestedType.Attributes)}
		}
		out = append(out, converted)
	}
	return out
}
