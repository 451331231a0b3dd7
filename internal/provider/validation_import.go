// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
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

	whole := resp.State.Schema.Type().TerraformType(ctx)
	types := map[string]tftypes.Type{"cluster_id": tftypes.String}
	for name := range clusterAttributes() {
		types[name] = tfvalue.ObjectType(whole).AttributeTypes[name]
	}

	declared := any(map[string]any{string(finding.ControlPlaneVersion): req.ID})
	if strings.HasPrefix(strings.TrimSpace(req.ID), "{") {
		var err error
		if declared, err = decodeJSON(req.ID); err != nil {
			complain("The import ID is not valid: " + err.Error() + ".")
			return
		}
	}
	checker := jsonChecker{}
	checker.value(tftypes.Object{AttributeTypes: types}, declared, "")
	if len(checker.problems) > 0 {
		complain(checker.problems...)
		return
	}
	state := tfvalue.Of(whole, declared)
	read := readClusterOf(state, "", nil)
	switch {
	case read.diags.HasError():
		complain(details(read.diags))
	case len(read.cluster.Places) == 0:
		complain("The import ID does not contain a version.")
	default:
		resp.State.Raw = tfvalue.With(state, plannedValues)
	}
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

// jsonChecker compares JSON with types and collects mismatches.
type jsonChecker struct {
	problems []string
}

func (c *jsonChecker) complain(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *jsonChecker) value(t tftypes.Type, v any, at string) {
	if v == nil {
		return
	}
	switch t := t.(type) {
	case tftypes.Object:
		fields := c.object(v, at)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if fieldType, known := t.AttributeTypes[name]; known {
				c.value(fieldType, fields[name], join(at, name))
			} else {
				c.complain("Unknown attribute %s. Known attributes: %s.", join(at, name), strings.Join(slices.Sorted(maps.Keys(t.AttributeTypes)), ", "))
			}
		}
	case tftypes.Map:
		fields := c.object(v, at)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			c.value(t.ElementType, fields[name], join(at, name))
		}
	case tftypes.List:
		elements, ok := v.([]any)
		if !ok {
			c.complain("%s must be a list.", at)
		}
		for i, element := range elements {
			c.value(t.ElementType, element, fmt.Sprintf("%s[%d]", at, i))
		}
	default:
		if number, isNumber := v.(json.Number); isNumber {
			c.complain("%s must be a string: write \"%s\" in quotes.", at, number)
		} else if _, ok := v.(string); !ok {
			c.complain("%s must be a string.", at)
		}
	}
}

func (c *jsonChecker) object(v any, at string) map[string]any {
	fields, ok := v.(map[string]any)
	if !ok {
		c.complain("%s must be an object.", cmp.Or(at, "The import ID"))
	}
	return fields
}

func join(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }
