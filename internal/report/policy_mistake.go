// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
)

// PolicyMistake describes a mistake in a policy. It has no message, because the summary
// says everything.
func PolicyMistake(p policy.Mistake) Description {
	return Description{Summary: summary(capitalized(p.Text), fieldName(p.At), suggest.DidYouMean(p.Meant)), Remedy: p.Repair + "."}
}

// InvalidPolicy describes everything that is wrong with a policy argument, which is JSON or
// a name.
func InvalidPolicy(argument string, isJSON bool, err error) Description {
	mistakes := policy.Mistakes(err)
	p, where := mistakes[0], argument
	if !isJSON && strings.HasPrefix(p.Text, "unknown") {
		p.Repair += ", or the json of a versionskew_policy data source"
	}
	d, what := PolicyMistake(p), capitalized(p.Text)
	if isJSON {
		what, where = "Invalid policy: "+p.Text, fieldName(p.At)
		if more := len(mistakes) - 1; more > 0 {
			where = strings.TrimSpace(fmt.Sprintf("%s and %d more", where, more))
			d.Message = capitalized(err.Error()) + "."
			d.Remedy = "Correct each of these, or write the policy as a versionskew_policy data source, which reports each problem at its line."
		}
	} else if argument == "policy" {
		where = "" // the text names it
	}
	d.Summary = summary(what, where, suggest.DidYouMean(p.Meant))
	return d
}

// PolicyFile describes a policy argument that is the name of a file, in YAML or JSON.
func PolicyFile(name string, isYAML bool) Description {
	call := fmt.Sprintf("file(%q)", name)
	if isYAML {
		call = fmt.Sprintf("jsonencode(yamldecode(%s))", call)
	}
	return Description{
		fmt.Sprintf("Invalid policy %q: it is a file name. Did you mean %s?", name, call),
		fmt.Sprintf("%q looks like a file name. The provider does not read files. It needs the content, as JSON.", name),
		fmt.Sprintf("Write %s.", call),
	}
}

// fieldName writes a place within a policy as a configuration does, such as
// skew_rules["kubelet-apiserver"].conditions[0].max_older. The second element is the ID
// of a rule, a minor, or an index.
func fieldName(at []string) string {
	if len(at) == 0 {
		return ""
	}
	field := at[0]
	for i, name := range at[1:] {
		switch _, err := strconv.Atoi(name); {
		case err == nil:
			field += "[" + name + "]"
		case i == 0:
			field += fmt.Sprintf("[%q]", name)
		default:
			field += "." + name
		}
	}
	return field
}

// capitalized capitalizes a text, unless it starts with a quoted value or the name of a
// field, rule or component.
func capitalized(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ContainsAny(word, "-_.\":") {
		return text
	}
	return upperFirst(text)
}
