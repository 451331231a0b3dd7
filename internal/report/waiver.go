// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
)

// waiverSentence names the waiver of a finding, with its last day and its reason.
func waiverSentence(w *finding.Waiver) string {
	until := ""
	if !w.Expires.IsZero() {
		until = " until " + w.Expires.String()
	}
	return fmt.Sprintf("Waived%s by %q: %s", until, w.Name, w.Reason)
}

// Expired says that a waiver accepted a finding until it expired, and how to check an
// apply by the date of its plan.
func Expired(w finding.Waiver) string {
	return fmt.Sprintf("Waiver %q accepted this until %s. If it expires between plan and apply, set as_of = formatdate(\"YYYY-MM-DD\", plantimestamp()) to check the apply by the date of its plan.", w.Name, w.Expires)
}

// waiverAttribute names a waiver, or one of its attributes, as the configuration does.
func waiverAttribute(w finding.Waiver, attribute string) string {
	return strings.TrimSuffix(fmt.Sprintf("waivers[%q].%s", w.Name, attribute), ".")
}

// setRule asks for the ID of a rule.
const setRule = `Set rule to the ID in the last line of the finding, such as "kubelet-apiserver".`

// RuleIDTooLong describes a waiver with a rule ID that no rule can have.
func RuleIDTooLong(w finding.Waiver) Description {
	return Description{
		summary("Rule ID too long", waiverAttribute(w, "rule"), ""),
		fmt.Sprintf("The rule of waiver %q has more than %d characters. No rule has such a long ID.", w.Name, policy.MaxName), setRule,
	}
}

// MissingRule describes a waiver with an empty rule.
func MissingRule(w finding.Waiver) Description {
	return Description{summary("Missing rule", waiverAttribute(w, ""), ""), fmt.Sprintf("The rule of waiver %q is empty.", w.Name), setRule}
}

// MissingReason describes a waiver with an empty reason.
func MissingReason(w finding.Waiver) Description {
	return Description{
		summary("Missing reason", waiverAttribute(w, ""), ""),
		fmt.Sprintf("The reason of waiver %q is empty. Every plan quotes it with the waived finding.", w.Name),
		"Set reason to why you accept the finding.",
	}
}

// UnknownRule describes a waiver of a rule that the policy does not have.
func UnknownRule(w finding.Waiver, p *policy.Policy) Description {
	return Description{
		summary(fmt.Sprintf("Unknown rule %q", w.RuleID), waiverAttribute(w, "rule"), suggest.DidYouMean(meantRule(w.RuleID, p))),
		fmt.Sprintf("Policy %s does not have rule %q, which waiver %q names.", p.Name, w.RuleID, w.Name),
		fmt.Sprintf("Remove the waiver, or set rule to one of these: %s.", strings.Join(p.RuleIDs(), ", ")),
	}
}

// meantRule guesses which rule was meant by an ID that is misspelled, or that is the name of
// a component with a single pair rule. It returns "" if there is no guess.
func meantRule(id string, p *policy.Policy) string {
	if meant := suggest.Name(id, p.RuleIDs()); meant != "" {
		return meant
	}
	var of []string
	for _, r := range p.PairRules {
		if r.Subject == id {
			of = append(of, r.ID)
		}
	}
	return only(of)
}

// only returns the word of a list of one, and otherwise "".
func only(words []string) string {
	if len(words) != 1 {
		return ""
	}
	return words[0]
}

// ExpiredWaiver describes a waiver that no longer applies.
func ExpiredWaiver(w finding.Waiver) Description {
	return Description{
		fmt.Sprintf("Waiver %q expired on %s", w.Name, w.Expires),
		fmt.Sprintf("Waiver %q of rule %s expired on %s and is no longer applied.", w.Name, w.RuleID, w.Expires),
		"Fix the findings that it covered and remove it, or set expires to a later date.",
	}
}

// UnmatchedWaiver describes a waiver that matches no finding. It may name locations that are
// not among those of the cluster.
func UnmatchedWaiver(w finding.Waiver, known map[string]bool) Description {
	d := Description{
		fmt.Sprintf("Waiver %q does not match any finding", w.Name), fmt.Sprintf("Waiver %q of rule %s does not match any finding.", w.Name, w.RuleID),
		"Remove it, or correct its rule.",
	}
	names, unknown := slices.Sorted(maps.Keys(known)), 0
	for i, l := range w.Locations {
		if known[l] || unknown == maxNamed {
			continue
		}
		question := ""
		if meant := meantLocation(l, names); meant != "" {
			question = fmt.Sprintf(" Did you mean %s?", meant)
		}
		if unknown++; unknown == 1 {
			d.Summary = summary(fmt.Sprintf("Waiver %q names unknown location %s", w.Name, l), waiverAttribute(w, fmt.Sprintf("locations[%d]", i)), question)
			d.Remedy = "Write locations as in a finding, such as node_pools[\"gpu\"], or remove the waiver."
		}
		d.Message += fmt.Sprintf(" Unknown location %s.%s", l, question)
	}
	return d
}

// meantLocation guesses which location was meant by one that is misspelled, written with
// other punctuation, or too short or too long. It returns "" if there is no match or
// more than one.
func meantLocation(l string, known []string) string {
	if meant := suggest.Name(l, known); meant != "" {
		return meant
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	written := letters(l)
	return only(slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		_, name, _ := strings.Cut(k, "[")
		return written == "" || written != letters(k) && written != letters(name) && !strings.Contains(l, k)
	}))
}
