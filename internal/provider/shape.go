package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// shape is what the values of a schema look like.
type shape struct {
	values tftypes.Type
	// unasked are the attributes of which the schema asks no more than their type.
	unasked []string
}

func shapeOf[A schema.Attribute](values attr.Type, attributes map[string]A) shape {
	s := shape{values: values.TerraformType(context.Background())}
	for name, attribute := range attributes {
		if isUnasked(attribute) {
			s.unasked = append(s.unasked, name)
		}
	}
	return s
}

// isUnasked says whether the framework has nothing to check in the values of an
// attribute. It is false for kinds of attributes that it does not know.
func isUnasked(a schema.Attribute) bool {
	if !a.IsOptional() || a.IsComputed() || a.GetDeprecationMessage() != "" {
		return false
	}
	switch a := a.(type) {
	case schema.StringAttribute:
		return len(a.Validators) == 0 && a.CustomType == nil
	case schema.ListAttribute:
		return len(a.Validators) == 0 && a.CustomType == nil
	case schema.MapAttribute:
		return len(a.Validators) == 0 && a.CustomType == nil
	case schema.MapNestedAttribute:
		return len(a.Validators)+len(a.NestedObject.Validators) == 0 && a.CustomType == nil && a.NestedObject.CustomType == nil &&
			areUnasked(a.NestedObject.Attributes)
	case schema.SingleNestedAttribute:
		return len(a.Validators) == 0 && a.CustomType == nil && areUnasked(a.Attributes)
	}
	return false
}

func areUnasked(attributes map[string]schema.Attribute) bool {
	for _, a := range attributes {
		if !isUnasked(a) {
			return false
		}
	}
	return true
}

// decode reads a value from the wire; ok is false if it is none of the shape.
func (s shape) decode(v *tfprotov6.DynamicValue) (_ tftypes.Value, ok bool) {
	if s.values == nil || v == nil {
		return tftypes.Value{}, false
	}
	decoded, err := v.Unmarshal(s.values)
	return decoded, err == nil
}

// thin is a configuration without what the schema asks nothing of, to be checked
// by the schema.
func (s shape) thin(config tftypes.Value) (*tfprotov6.DynamicValue, error) {
	fields := maps.Clone(tfvalue.Fields(config))
	for _, name := range s.unasked {
		fields[name] = tftypes.NewValue(fields[name].Type(), nil)
	}
	thin, err := tfprotov6.NewDynamicValue(s.values, tftypes.NewValue(s.values, fields))
	return &thin, err
}
