// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
)

// oneOfValidator is stringvalidator.OneOf with another message, which suggests the
// value that was probably meant.
type oneOfValidator struct {
	validator.String
	allowed []string
}

func oneOf(allowed []string) validator.String {
	return oneOfValidator{stringvalidator.OneOf(allowed...), allowed}
}

func (v oneOfValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var checked validator.StringResponse
	v.String.ValidateString(ctx, req, &checked)
	if checked.Diagnostics.HasError() {
		resp.Diagnostics.Append(invalidChoice(req.Path, req.Path.String(), req.ConfigValue.ValueString(), v.allowed))
	}
}

// invalidChoice reports a value that is not one of the allowed values. name is the
// attribute that holds it, including its place.
func invalidChoice(at path.Path, name, value string, allowed []string) diag.Diagnostic {
	attribute := name[strings.LastIndex(name, ".")+1:]
	where := ""
	if attribute != name {
		where = name
	}
	quoted := make([]string, len(allowed))
	for i, a := range allowed {
		quoted[i] = fmt.Sprintf("%q", a)
	}
	repair := "one of these values"
	if meant := suggest.Name(strings.TrimSpace(value), allowed); meant != "" {
		repair = fmt.Sprintf("%q", meant)
	}
	return diag.NewAttributeErrorDiagnostic(at, headline(fmt.Sprintf("Invalid %s %q", attribute, value), where, suggest.Question(strings.TrimSpace(value), allowed)),
		fmt.Sprintf("%s is %q. Allowed values: %s.\n\nTo repair: set %s to %s.", name, value, strings.Join(quoted, ", "), attribute, repair))
}

// headline returns the first line of a diagnostic: what is wrong, and where if what does
// not name it. The question, which may be empty, is one of package suggest.
func headline(what, where, question string) string {
	if where != "" {
		what += " (" + where + ")"
	}
	if question != "" {
		what += "." + question
	}
	return what
}
