// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
)

// PolicyProblem describes a problem of a policy: what is wrong, where, which may be empty,
// and in detail how to repair it.
func PolicyProblem(p policy.Problem) (what, where, detail string) {
	what, where = Capitalized(p.Text), fieldName(p.At)
	text := what
	if where != "" {
		text = where + ": " + p.Text
	}
	question := ""
	if p.Meant != "" {
		question = fmt.Sprintf(" Did you mean %q?", p.Meant)
	}
	return what, where, fmt.Sprintf("%s.%s\n\nTo repair: %s.", text, question, lowerFirst(p.Repair))
}

// PolicyProblems describes several problems of a policy in JSON, one per line.
func PolicyProblems(problems []policy.Problem) string {
	return Capitalized((&policy.ParseError{Problems: problems}).Error()) +
		".\n\nTo repair: correct each of these, or write the policy as a versionskew_policy data source, which reports each problem at its line."
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

// Capitalized capitalizes a text, unless it starts with a quoted value or the name of a
// field, rule or component.
func Capitalized(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ContainsAny(word, "-_.\":") {
		return text
	}
	return upperFirst(text)
}
