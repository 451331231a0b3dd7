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

// oneOfValidator accepts one of some values. It differs from the library's validator
// in its message alone, which guesses what was meant.
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

// invalidChoice is the one way to say that a value is not among those allowed. The
// name says where it is written.
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
	return diag.NewAttributeErrorDiagnostic(at, headline(fmt.Sprintf("Invalid %s %q", attribute, value), where, suggest.Question(strings.TrimSpace(value), allowed)),
		fmt.Sprintf("%s is %q. Allowed values: %s.\n\nTo repair: set it to one of them.", name, value, strings.Join(quoted, ", ")))
}

// headline is the first line of a diagnostic: what is wrong, where it is written, if
// that is not said yet, and a question as package suggest asks it.
func headline(what, where, question string) string {
	if where != "" {
		what += " (" + where + ")"
	}
	if question != "" {
		what += "." + question
	}
	return what
}
