package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// versionType is a string that is a version, as an attribute and as an argument
// of a function alike. The framework checks it before any code of ours runs,
// and so reports all bad arguments of a call together.
//
// It is for values at the top of a schema: the framework would report one that
// is deeper at its leaf, where both CLIs lose the source line, and does not
// look into collections at all. readCluster checks those.
type versionType struct {
	basetypes.StringType
	// further says that the version need not be one of a Kubernetes component.
	further bool
}

type versionValue struct {
	basetypes.StringValue
	further bool
}

var (
	_ basetypes.StringTypable        = versionType{}
	_ basetypes.StringValuable       = versionValue{}
	_ xattr.ValidateableAttribute    = versionValue{}
	_ function.ValidateableParameter = versionValue{}
)

func (t versionType) String() string { return "versionType" }

func (t versionType) Equal(o attr.Type) bool {
	other, ok := o.(versionType)
	return ok && other.further == t.further
}

func (t versionType) ValueType(context.Context) attr.Value { return versionValue{further: t.further} }

func (t versionType) ValueFromString(_ context.Context, s basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return versionValue{s, t.further}, nil
}

func (t versionType) ValueFromTerraform(ctx context.Context, v tftypes.Value) (attr.Value, error) {
	s, err := t.StringType.ValueFromTerraform(ctx, v)
	if err != nil {
		return nil, err
	}
	value, ok := s.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("a string was read as a %T", s)
	}
	return versionValue{value, t.further}, nil
}

func (v versionValue) Type(context.Context) attr.Type { return versionType{further: v.further} }

func (v versionValue) Equal(o attr.Value) bool {
	other, ok := o.(versionValue)
	return ok && v.StringValue.Equal(other.StringValue)
}

// problem says what keeps the value from being a version, or "".
func (v versionValue) problem() string {
	if v.IsUnknown() {
		return ""
	}
	if _, err := v.parse(); err != nil {
		return err.Error()
	}
	return ""
}

func (v versionValue) parse() (version.Version, error) {
	return written{v.ValueString(), v.further}.parse(nil)
}

// ValidateAttribute reports a string that is no version, in the words of
// readCluster, so that the framework keeps one of the two.
func (v versionValue) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if problem := v.problem(); !v.IsNull() && problem != "" {
		resp.Diagnostics.Append(invalidVersion(req.Path, req.Path.String(), problem))
	}
}

// ValidateParameter reports a string that is no version.
func (v versionValue) ValidateParameter(_ context.Context, req function.ValidateParameterRequest, resp *function.ValidateParameterResponse) {
	if problem := v.problem(); problem != "" {
		resp.Error = function.NewArgumentFuncError(req.Position, problem)
	}
}
