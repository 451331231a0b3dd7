// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
)

// ImportState records versions without checking them against a policy. The first step
// starts from them.
func (r *validationResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	complain := func(problems ...string) {
		resp.Diagnostics.Append(errorAt(path.Empty(), report.InvalidImportID(problems...)))
	}

	whole := tfvalue.ObjectType(resp.State.Schema.Type().TerraformType(ctx))
	types := map[string]tftypes.Type{}
	for name := range clusterAttributes() {
		types[name] = whole.AttributeTypes[name]
	}
	types["cluster_id"] = whole.AttributeTypes["cluster_id"]

	declared := any(map[string]any{string(finding.ControlPlaneVersion): req.ID})
	if strings.HasPrefix(strings.TrimSpace(req.ID), "{") {
		var err error
		if declared, err = decodeJSON(req.ID); err != nil {
			complain("The import ID is not valid: " + err.Error() + ".")
			return
		}
	}
	reader := jsonReader{}
	cluster := reader.value(tftypes.Object{AttributeTypes: types}, declared, "")
	if len(reader.problems) > 0 {
		complain(reader.problems...)
		return
	}
	read := readClusterOf(cluster, "", nil)
	switch {
	case read.diags.HasError():
		complain(details(read.diags))
		return
	case len(read.cluster.Places) == 0:
		complain("The import ID does not contain a version.")
		return
	}

	state := map[string]tftypes.Value{}
	for name, t := range whole.AttributeTypes {
		state[name] = tftypes.NewValue(t, nil)
	}
	maps.Copy(state, tfvalue.Fields(cluster))
	state["id"] = tftypes.NewValue(tftypes.String, validationID)
	resp.State.Raw = tftypes.NewValue(whole, state)
}

// decodeJSON reads one JSON value. Its errors are shown to the user.
func decodeJSON(s string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("invalid JSON at character %d", syntax.Offset)
		}
		return nil, errors.New("invalid JSON: the text ends too early")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the JSON object")
	}
	return v, nil
}

// jsonReader converts JSON to values of given types and collects mismatches.
type jsonReader struct {
	problems []string
}

func (r *jsonReader) complain(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *jsonReader) value(t tftypes.Type, v any, at string) tftypes.Value {
	null := tftypes.NewValue(t, nil)
	if v == nil {
		return null
	}
	switch t := t.(type) {
	case tftypes.Object:
		fields, ok := r.object(v, at)
		if !ok {
			return null
		}
		values := map[string]tftypes.Value{}
		for name, fieldType := range t.AttributeTypes {
			values[name] = r.value(fieldType, fields[name], join(at, name))
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if _, known := t.AttributeTypes[name]; !known {
				r.complain("Unknown attribute %s. Known attributes: %s.", join(at, name), strings.Join(slices.Sorted(maps.Keys(t.AttributeTypes)), ", "))
			}
		}
		return tftypes.NewValue(t, values)
	case tftypes.Map:
		fields, ok := r.object(v, at)
		if !ok {
			return null
		}
		values := map[string]tftypes.Value{}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			values[name] = r.value(t.ElementType, fields[name], join(at, name))
		}
		return tftypes.NewValue(t, values)
	case tftypes.List:
		elements, ok := v.([]any)
		if !ok {
			r.complain("%s must be a list.", at)
			return null
		}
		values := []tftypes.Value{}
		for i, element := range elements {
			values = append(values, r.value(t.ElementType, element, fmt.Sprintf("%s[%d]", at, i)))
		}
		return tftypes.NewValue(t, values)
	}
	s, ok := v.(string)
	if !ok {
		hint := ""
		if number, isNumber := v.(json.Number); isNumber {
			hint = fmt.Sprintf(`: write "%s" in quotes`, number)
		}
		r.complain("%s must be a string%s.", at, hint)
		return null
	}
	return tftypes.NewValue(tftypes.String, s)
}

func (r *jsonReader) object(v any, at string) (map[string]any, bool) {
	fields, ok := v.(map[string]any)
	if !ok {
		if at == "" {
			at = "The import ID"
		}
		r.complain("%s must be an object.", at)
	}
	return fields, ok
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
