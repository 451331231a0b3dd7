// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

// shape describes a schema for directServer.
type shape struct {
	values tftypes.Type
	// unchecked lists the top-level attributes for which the schema only defines the
	// type.
	unchecked []string
	// writeOnly lists the top-level attributes that are in neither plan nor state.
	writeOnly []string
}

// shapeOf returns the shape of a schema of the framework. The error names a feature of
// the schema that directServer does not support.
//
// It uses reflection, so that a field that a later version of the framework adds is an
// error until directServer supports it.
func shapeOf(schema interface{ Type() attr.Type }) (shape, error) {
	s := shape{values: schema.Type().TerraformType(context.Background())}
	v := reflect.ValueOf(schema)
	if err := onlySets(v, "Attributes", "Description", "MarkdownDescription", "Version"); err != nil {
		return s, fmt.Errorf("the schema %w", err)
	}
	for name, attribute := range v.FieldByName("Attributes").Seq2() {
		attribute = attribute.Elem()
		if err := checkSupported(attribute); err != nil {
			return s, fmt.Errorf("%s %w", name, err)
		}
		if isSetField(attribute, "WriteOnly") {
			s.writeOnly = append(s.writeOnly, name.String())
		}
		if isUnchecked(attribute) {
			s.unchecked = append(s.unchecked, name.String())
		}
	}
	slices.Sort(s.unchecked)
	slices.Sort(s.writeOnly)
	return s, nil
}

// checkSupported returns an error if an attribute has a feature that directServer does
// not support, such as a default or a plan modifier.
func checkSupported(attribute reflect.Value) error {
	if err := onlySets(attribute, "Attributes", "NestedObject", "ElementType", "CustomType", "Required", "Optional", "Computed", "WriteOnly",
		"Sensitive", "Description", "MarkdownDescription", "DeprecationMessage", "Validators"); err != nil {
		return err
	}
	for _, name := range []string{"CustomType", "ElementType"} {
		if field := attribute.FieldByName(name); field.IsValid() && !field.IsZero() {
			if t, ok := field.Interface().(attr.Type); ok && hasSemanticEquality(t) {
				return fmt.Errorf("has a type with semantic equality: %s", t)
			}
		}
	}
	for name, inner := range nested(attribute) {
		if err := checkSupported(inner); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	return nil
}

// onlySets returns an error if a struct sets a field that is not in names.
func onlySets(v reflect.Value, names ...string) error {
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !v.Field(i).IsZero() && !slices.Contains(names, name) {
			return fmt.Errorf("sets %s", name)
		}
	}
	return nil
}

// hasSemanticEquality reports whether a type, or the type of its elements, defines
// semantic equality.
func hasSemanticEquality(t attr.Type) bool {
	switch t.ValueType(context.Background()).(type) {
	case basetypes.BoolValuableWithSemanticEquals, basetypes.DynamicValuableWithSemanticEquals,
		basetypes.Float32ValuableWithSemanticEquals, basetypes.Float64ValuableWithSemanticEquals,
		basetypes.Int32ValuableWithSemanticEquals, basetypes.Int64ValuableWithSemanticEquals,
		basetypes.ListValuableWithSemanticEquals, basetypes.MapValuableWithSemanticEquals,
		basetypes.NumberValuableWithSemanticEquals, basetypes.ObjectValuableWithSemanticEquals,
		basetypes.SetValuableWithSemanticEquals, basetypes.StringValuableWithSemanticEquals:
		return true
	}
	elements, ok := t.(attr.TypeWithElementType)
	return ok && hasSemanticEquality(elements.ElementType())
}

// isUnchecked reports whether the framework only checks the type of an attribute. The
// resource itself checks whether the CLI supports write-only attributes.
func isUnchecked(attribute reflect.Value) bool {
	if !isSetField(attribute, "Optional") || isSetField(attribute, "Computed") {
		return false
	}
	for _, holder := range []reflect.Value{attribute, attribute.FieldByName("NestedObject")} {
		for _, name := range []string{"Validators", "CustomType", "DeprecationMessage"} {
			if holder.IsValid() && isSetField(holder, name) {
				return false
			}
		}
	}
	for _, inner := range nested(attribute) {
		if !isUnchecked(inner) {
			return false
		}
	}
	return true
}

// nested returns the attributes nested in an attribute, by name.
func nested(attribute reflect.Value) map[string]reflect.Value {
	holder := attribute
	if object := attribute.FieldByName("NestedObject"); object.IsValid() {
		holder = object
	}
	all := map[string]reflect.Value{}
	if attributes := holder.FieldByName("Attributes"); attributes.IsValid() {
		for name, inner := range attributes.Seq2() {
			all[name.String()] = inner.Elem()
		}
	}
	return all
}

func isSetField(v reflect.Value, name string) bool {
	field := v.FieldByName(name)
	return field.IsValid() && !field.IsZero()
}

// decode decodes a value of the protocol. ok is false if it does not fit the schema.
func (s shape) decode(v *tfprotov6.DynamicValue) (_ tftypes.Value, ok bool) {
	if s.values == nil || v == nil {
		return tftypes.Value{}, false
	}
	decoded, err := v.Unmarshal(s.values)
	return decoded, err == nil
}

// reduced returns a configuration in which the unchecked attributes are null, for
// validation against the schema.
func (s shape) reduced(config tftypes.Value) (*tfprotov6.DynamicValue, error) {
	encoded, err := tfprotov6.NewDynamicValue(s.values, without(config, s.unchecked))
	return &encoded, err
}

// without returns an object in which the named attributes are null.
func without(object tftypes.Value, names []string) tftypes.Value {
	if len(names) == 0 || !tfvalue.IsSet(object) {
		return object
	}
	fields := maps.Clone(tfvalue.Fields(object))
	for _, name := range names {
		fields[name] = tftypes.NewValue(fields[name].Type(), nil)
	}
	return tftypes.NewValue(object.Type(), fields)
}
