// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

func describeNotOffered(p finding.Problem, c *finding.NotOffered) Description {
	f := p.Findings[0]
	declared := f.Subject.Version.Binary()
	what := fmt.Sprintf("%s %s %s %s, which %s does not list.", Locations(p.Locations()), form(len(p.Locations()), "adds", "add"), subjects(p), declared, c.List)
	if !c.From.IsZero() {
		what = fmt.Sprintf("%s, which %s does not list.", changesTo(p, c), c.List)
	}
	minor := declared.Numbering().Show(declared.Minor())
	offered := fmt.Sprintf("It lists no %s version.", minor)
	switch older, newer := c.Older.String(), c.Newer.String(); {
	case !c.Newest.IsZero():
		offered = fmt.Sprintf("The newest %s version that it lists is %s.", minor, c.Newest)
	case older != "" && newer != "":
		offered += fmt.Sprintf(" The nearest minor versions that it lists are %s and %s.", older, newer)
	case older+newer != "":
		offered += fmt.Sprintf(" The nearest minor version that it lists is %s.", older+newer)
	}
	start := ""
	switch {
	case c.AnotherCluster:
		start = "cluster_id has changed, so everything declared counts as added to another cluster, and observed is not used. If this version already runs there, remove the versionskew_validation from the state, and import it with the new cluster_id."
	case c.NoStart:
		start = "No earlier versions are known, so everything declared counts as added. If this version already runs, set observed to the versions that run, or import the versionskew_validation."
	}
	return Description{
		Summary: fmt.Sprintf("%s %s %s not offered", subjects(p), declared, is(p, tenseOf(p))),
		Message: sentences(what, offered, c.Reason, start),
		Remedy:  cmp.Or(remedies(p), otherOffer(c)),
	}
}

// otherOffer asks for another version if no single change is known to help.
func otherOffer(c *finding.NotOffered) string {
	choose := fmt.Sprintf("Choose a version from %s.", c.List)
	switch {
	case !c.Newest.IsZero() || !c.Older.IsZero() || c.Newer.IsZero():
		return "Wait until the platform offers it, or " + lowerFirst(choose)
	case c.From.IsZero(): // observed does not help what is added
		return choose
	}
	return choose + " If the platform has retired all versions that the policy allows next, let it upgrade the cluster, and set observed to the versions that run then."
}

// changesTo describes moves to the version of the problem. It leaves out the versions
// before if they differ.
func changesTo(p finding.Problem, c *finding.NotOffered) string {
	to := p.Findings[0].Subject.Version.String()
	for _, f := range p.Findings[1:] {
		if other, ok := f.Cause.(*finding.NotOffered); !ok || other.From.String() != c.From.String() {
			return fmt.Sprintf("%s %s %s to %s", Locations(p.Locations()), form(len(p.Locations()), "moves", "move"), subjects(p), to)
		}
	}
	return moveSentence(tenseOf(p), p.Locations(), subjects(p), c.From.String(), to)
}
