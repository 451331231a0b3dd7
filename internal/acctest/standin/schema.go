// SPDX-License-Identifier: MPL-2.0

package standin

import (
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

// Environment is the environment variable with the path of the platform file. Stand-in
// providers that run as separate processes read it.
const Environment = "VERSIONSKEW_TEST_PLATFORM"

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

// Excerpts returns the excerpts by provider address.
var Excerpts = sync.OnceValues(func() (map[string]Excerpt, error) {
	entries, err := files.ReadDir("schemas")
	if err != nil {
		return nil, err
	}
	all := map[string]Excerpt{}
	for _, entry := range entries {
		text, err := files.ReadFile(path.Join("schemas", entry.Name()))
		if err != nil {
			return nil, err
		}
		var e Excerpt
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		all[e.Provider] = e
	}
	return all, nil
})

// Unchecked returns the schemas that were written by hand, by provider address. Nothing
// compares them with the real provider.
var Unchecked = sync.OnceValues(func() (all map[string]Schemas, err error) {
	text, err := files.ReadFile("unchecked.yaml")
	if err != nil {
		return nil, err
	}
	return all, yaml.UnmarshalStrict(text, &all)
})

// schemasOf returns everything that the stand-in for a provider serves.
func schemasOf(address string) (Schemas, error) {
	excerpts, err := Excerpts()
	if err != nil {
		return Schemas{}, err
	}
	unchecked, err := Unchecked()
	if err != nil {
		return Schemas{}, err
	}
	excerpt, known := excerpts[address]
	written, also := unchecked[address]
	if !known && !also {
		return Schemas{}, fmt.Errorf("no stand-in for provider %s", address)
	}
	all := Schemas{Configuration: excerpt.Configuration, Resources: maps.Clone(written.Resources), DataSources: maps.Clone(written.DataSources)}
	if all.Configuration == nil {
		all.Configuration = written.Configuration
	}
	if all.Configuration == nil {
		all.Configuration = &Schema{}
	}
	if all.Resources == nil {
		all.Resources = map[string]Schema{}
	}
	if all.DataSources == nil {
		all.DataSources = map[string]Schema{}
	}
	maps.Copy(all.Resources, excerpt.Resources)
	maps.Copy(all.DataSources, excerpt.DataSources)
	return all, nil
}

// Addresses returns the addresses of all stand-in providers, such as hashicorp/aws.
func Addresses() ([]string, error) {
	excerpts, err := Excerpts()
	if err != nil {
		return nil, err
	}
	unchecked, err := Unchecked()
	if err != nil {
		return nil, err
	}
	all := slices.AppendSeq(slices.Collect(maps.Keys(excerpts)), maps.Keys(unchecked))
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Version returns the version of the provider that a stand-in imitates. It is 0.0.1 if no
// version is known, and the first release of a series such as 6.x.
func Version(address string) (string, error) {
	excerpts, err := Excerpts()
	if err != nil {
		return "", err
	}
	e, ok := excerpts[address]
	if !ok {
		return "0.0.1", nil
	}
	return strings.Replace(e.Version, ".x", ".0.0", 1), nil
}

// convert converts a schema to the type of the protocol.
func (s Schema) convert() (*tfprotov6.Schema, error) {
	b, err := s.Block.convert()
	return &tfprotov6.Schema{Version: s.Version, Block: b}, err
}

func (b block) convert() (*tfprotov6.SchemaBlock, error) {
	attributes, err := convertAttributes(b.Attributes)
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.SchemaBlock{Attributes: attributes, Deprecated: b.Deprecated}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		inner, err := nested.Block.convert()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		mode, ok := blockNesting[nested.NestingMode]
		if !ok {
			return nil, fmt.Errorf("%s: unknown nesting mode %q", name, nested.NestingMode)
		}
		out.BlockTypes = append(out.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name, Block: inner, Nesting: mode, MinItems: nested.MinItems, MaxItems: nested.MaxItems,
		})
	}
	return out, nil
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

func convertAttributes(all map[string]attribute) (out []*tfprotov6.SchemaAttribute, err error) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		converted := &tfprotov6.SchemaAttribute{
			Name: name, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, Deprecated: a.Deprecated, WriteOnly: a.WriteOnly,
		}
		if a.NestedType == nil {
			converted.Type, err = tftypes.ParseJSONType(a.Type) //nolint:staticcheck // There is no other parser of this format.
		} else {
			mode, ok := objectNesting[a.NestedType.NestingMode]
			if !ok {
				return nil, fmt.Errorf("%s: unknown nesting mode %q", name, a.NestedType.NestingMode)
			}
			converted.NestedType = &tfprotov6.SchemaObject{Nesting: mode}
			converted.NestedType.Attributes, err = convertAttributes(a.NestedType.Attributes)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, converted)
	}
	return out, nil
}

func convertAll(all map[string]Schema) (map[string]*tfprotov6.Schema, error) {
	out := map[string]*tfprotov6.Schema{}
	for name, s := range all {
		converted, err := s.convert()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = converted
	}
	return out, nil
}
