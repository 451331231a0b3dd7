// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
	"github.com/versionskew/terraform-provider-versionskew/internal/policy"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/skew"
	"github.com/versionskew/terraform-provider-versionskew/internal/suggest"
	"github.com/versionskew/terraform-provider-versionskew/internal/upgrade"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

// input is what a data source or a resource is asked about.
type input struct {
	cluster skew.Cluster
	// observed is nil unless it is declared.
	observed *skew.Cluster
	// observedUnknown says that it is declared, but nothing of it known yet.
	observedUnknown bool
	applyOrder      upgrade.ApplyOrder
	asOf            tftypes.Value
	waivers         []finding.Waiver
	// possible are the waivers of which something is unknown, as far as they may
	// reach; an empty rule is any rule.
	possible []finding.Waiver
	unknown  []string
	// silent are the elements that set no version, as they are spelled.
	silent []string
	diags  diag.Diagnostics
	// named is the policy to judge by, nil while it is not known and after an
	// error.
	named         *policy.Policy
	namedProblems diag.Diagnostics
}

// readInput reads inputAttributes. A resource has observed from its configuration
// only: it is write-only.
// It is read in the numbers of the policy, and as it is written while that is not
// known: then nothing is checked.
func readInput(raw, observed tftypes.Value, s settings) *input {
	attributes := tfvalue.Fields(raw)
	named, problems := s.named(attributes["policy"])
	in := &input{
		named:         named,
		namedProblems: problems,
		asOf:          attributes["as_of"],
		applyOrder:    upgrade.ApplyOrder(tfvalue.String(attributes["apply_order"])),
	}
	declared := readCluster(attributes, "", in.scheme())
	in.cluster, in.unknown, in.silent, in.diags = declared.cluster, declared.unknown, declared.silent, declared.diags
	switch {
	case !observed.IsKnown():
		in.observedUnknown = true
		in.unknown = append(in.unknown, "observed")
	case !observed.IsNull():
		before := readCluster(tfvalue.Fields(observed), "observed", in.scheme())
		in.observed = &before.cluster
		in.unknown = append(in.unknown, before.unknown...)
		in.silent = append(in.silent, before.silent...)
		in.diags.Append(before.diags...)
	}
	in.readWaivers(attributes["waivers"])
	for _, name := range []string{"apply_order", "policy", "as_of"} {
		if !attributes[name].IsKnown() {
			in.unknown = append(in.unknown, name)
		}
	}
	if !attributes["apply_order"].IsKnown() {
		in.applyOrder = upgrade.Any // what no order does is wrong whatever the order is
	}
	in.diags = limited(in.diags)
	return in
}

// knownAtApply stands for the reason of a waiver that is not known yet.
const knownAtApply = "(known after apply)"

// readWaivers reads the waivers. What is unknown of one decides at apply what it
// accepts, except for the reason, which decides nothing.
func (in *input) readWaivers(v tftypes.Value) {
	if !v.IsKnown() {
		in.unknown = append(in.unknown, "waivers")
		in.possible = append(in.possible, finding.Waiver{})
	}
	waivers := tfvalue.Fields(v)
	for _, name := range sortedKeys(waivers) {
		at := path.Root("waivers").AtMapKey(name)
		spelled := fmt.Sprintf("waivers[%q]", name)
		if !waivers[name].IsKnown() {
			in.unknown = append(in.unknown, spelled)
			in.possible = append(in.possible, finding.Waiver{Name: name})
			continue
		}
		fields := tfvalue.Fields(waivers[name])
		w := finding.Waiver{Name: name, RuleID: tfvalue.String(fields["rule"]), Reason: strings.TrimSpace(tfvalue.String(fields["reason"]))}
		for _, l := range tfvalue.Elements(fields["locations"]) {
			if l.IsKnown() {
				w.Locations = append(w.Locations, tfvalue.String(l))
			}
		}
		if !fields["reason"].IsKnown() {
			w.Reason = knownAtApply
		}
		if w.RuleID == "" && fields["rule"].IsKnown() {
			in.diags.AddAttributeError(at, fmt.Sprintf("Missing rule (%s)", spelled), fmt.Sprintf("Waiver %q names no rule.\n\nTo repair: set rule to the ID that the finding shows, such as \"kubelet-apiserver\".", name))
		}
		if w.Reason == "" {
			in.diags.AddAttributeError(at, fmt.Sprintf("Missing reason (%s)", spelled), fmt.Sprintf("Waiver %q gives no reason, which every plan shows.\n\nTo repair: set reason to why you accept the finding.", name))
		}
		if expires := tfvalue.String(fields["expires"]); expires != "" {
			day, err := releases.ParseDate(expires)
			if err != nil {
				in.diags.Append(invalidDate(at, spelled+".expires", expires, err))
			}
			w.Expires = day
		}
		decided := true
		for _, field := range []string{"rule", "locations", "expires"} {
			if !fields[field].IsFullyKnown() {
				in.unknown = append(in.unknown, spelled+"."+field)
				decided = false
			}
		}
		if decided || fields["rule"].IsKnown() && fields["expires"].IsKnown() && len(w.Locations) > 0 {
			in.waivers = append(in.waivers, w)
		}
		if !decided {
			if !fields["locations"].IsFullyKnown() {
				w.Locations = nil
			}
			in.possible = append(in.possible, w)
		}
	}
}

// undecided takes those errors from the findings that a waiver may accept as soon
// as all of it is known.
func (in *input) undecided(findings []finding.Finding, day releases.Date) (decided, undecided []finding.Finding) {
	if len(in.possible) == 0 {
		return findings, nil
	}
	var errors []finding.Finding
	var rules []string
	for _, f := range findings {
		if !f.IsUnwaivedError() {
			decided = append(decided, f)
			continue
		}
		errors = append(errors, f)
		rules = append(rules, f.RuleID)
	}
	slices.Sort(rules)
	var possible []finding.Waiver
	for _, w := range in.possible {
		if w.RuleID != "" {
			possible = append(possible, w)
			continue
		}
		for _, w.RuleID = range slices.Compact(rules) {
			possible = append(possible, w)
		}
	}
	errors, _ = finding.Waive(errors, possible, day)
	for _, f := range errors {
		if f.WaivedBy == nil {
			decided = append(decided, f)
		} else {
			undecided = append(undecided, f)
		}
	}
	finding.Sort(decided)
	return decided, undecided
}

// day is the day to judge for.
func (in *input) day(s settings) releases.Date { return dayOf(in.asOf, s) }

// dayOf reads a day that the schema has checked; today where it is not set.
func dayOf(v tftypes.Value, s settings) releases.Date {
	if day, err := releases.ParseDate(tfvalue.String(v)); err == nil {
		return day
	}
	return s.today()
}

// scheme is how versions are written, nil while that is not known.
func (in *input) scheme() *version.Scheme {
	if in.named == nil {
		return nil
	}
	return in.named.Scheme
}

// named finds the policy that an argument names, or the one of the provider. It is
// nil while that is not known, and after an error.
func (s settings) named(name tftypes.Value) (*policy.Policy, diag.Diagnostics) {
	switch {
	case !name.IsKnown():
		return nil, nil
	case tfvalue.IsSet(name):
		return resolvePolicy(tfvalue.String(name), path.Root("policy"))
	}
	return s.policy, nil
}

// policy returns the policy to judge by, having checked the waivers by it. It is
// nil while it is not known yet, and after an error.
func (in *input) policy(diags *diag.Diagnostics) *policy.Policy {
	diags.Append(in.namedProblems...)
	p := in.named
	if p == nil {
		return nil
	}
	var d limitedDiagnostics
	ids := p.RuleIDs()
	for _, w := range slices.Concat(in.waivers, in.possible) {
		if w.RuleID != "" && !slices.Contains(ids, w.RuleID) {
			d.add("Unknown rule", diag.SeverityError, func() diag.Diagnostic {
				return diag.NewAttributeErrorDiagnostic(path.Root("waivers").AtMapKey(w.Name),
					headline(fmt.Sprintf("Unknown rule %q", w.RuleID), fmt.Sprintf("waivers[%q]", w.Name), suggest.Question(w.RuleID, ids)),
					fmt.Sprintf("Waiver %q names rule %q, which policy %s does not have.\n\nTo repair: set rule to one of %s.", w.Name, w.RuleID, p.Name, strings.Join(ids, ", ")))
			})
		}
	}
	diags.Append(d.finish("kinds", "", "")...)
	return p
}

// readVersions reads an attribute that lists versions. What is not known yet is
// the zero version.
func readVersions(v tftypes.Value, name string, parse func(string) (version.Version, error)) ([]version.Version, diag.Diagnostics) {
	var diags diag.Diagnostics
	var versions []version.Version
	for i, element := range tfvalue.Elements(v) {
		parsed, err := parse(tfvalue.String(element))
		if element.IsKnown() && err != nil {
			diags.Append(invalidVersion(path.Root(name).AtListIndex(i), []string{fmt.Sprintf("%s[%d]", name, i)}, tfvalue.String(element), err))
		}
		versions = append(versions, parsed)
	}
	return versions, limited(diags)
}

// resolvePolicy reads the value of a policy argument: the name of a built-in
// policy, or a policy as JSON. The policy is nil if there is an error.
func resolvePolicy(text string, at path.Path) (*policy.Policy, diag.Diagnostics) {
	find := policy.Parse
	isJSON := strings.HasPrefix(strings.TrimSpace(text), "{")
	if !isJSON {
		if diagnostic := policyFile(text, at); diagnostic != nil {
			return nil, diag.Diagnostics{diagnostic}
		}
		find = policy.Builtin
	}
	p, err := find(text)
	if err == nil {
		return p, nil
	}
	return nil, diag.Diagnostics{invalidPolicy(at, isJSON, err)}
}

// invalidPolicy reports all that is wrong with the value of a policy argument, which
// is JSON or a name.
func invalidPolicy(at path.Path, isJSON bool, err error) diag.Diagnostic {
	problems := policyProblems(err)
	p := problems[0]
	if !isJSON {
		repair := "use one of these names, or the json of a versionskew_policy data source"
		if p.Meant == "" && !strings.HasPrefix(p.Text, "unknown") {
			p.Repair, repair = "", lowerFirst(p.Repair) // it is something else that has a name
		}
		return diag.NewAttributeErrorDiagnostic(at, headline(upperFirst(p.Text), "", didYouMean(p.Meant)), fmt.Sprintf("%s.\n\nTo repair: %s.", upperFirst(p.String()), repair))
	}
	where := spellField(p.At)
	if more := len(problems) - 1; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return diag.NewAttributeErrorDiagnostic(at, headline("Invalid policy: "+p.Text, strings.TrimSpace(where), didYouMean(p.Meant)),
		err.Error()+".\n\nTo repair: correct the JSON, or write the policy as a versionskew_policy data source, which reports each problem on its line.")
}

// policyFile reports a policy argument that is the name of a file, or the content
// of one that is not JSON; nil if it is neither.
func policyFile(text string, at path.Path) diag.Diagnostic {
	extension := strings.ToLower(pathpkg.Ext(text))
	isYAML := extension == ".yaml" || extension == ".yml"
	switch {
	case strings.Contains(strings.TrimSpace(text), "\n"):
		return diag.NewAttributeErrorDiagnostic(at, "Invalid policy: not a JSON object",
			"The policy is text of several lines that does not start with {. Only JSON is accepted.\n\n"+
				"To repair: if it is YAML, convert it with jsonencode(yamldecode(...)).")
	case isYAML || extension == ".json":
		call := fmt.Sprintf("file(%q)", text)
		if isYAML {
			call = fmt.Sprintf("jsonencode(yamldecode(%s))", call)
		}
		return diag.NewAttributeErrorDiagnostic(at, headline(fmt.Sprintf("Invalid policy %q: a file name", text), "", " Did you mean "+call+"?"),
			fmt.Sprintf("%q looks like the name of a file. The provider reads no files: pass the content, as JSON.\n\nTo repair: write %s.", text, call))
	}
	return nil
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", name)
}
