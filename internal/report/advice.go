package report

import (
	"fmt"

	"github.com/versionskew/terraform-provider-versionskew/internal/finding"
)

// tellAdvice finds the words for what a policy advises on.
func tellAdvice(f finding.Finding) words {
	component, v, where := f.Subject.Component, f.Subject.Version, Locations(f.Subject.Locations)
	runs := fmt.Sprintf("%s %s %s %s", where, verb(f.Subject.Locations, "runs", "run"), component, v)
	w := words{advice: true}
	switch cause := f.Cause.(type) {
	case *finding.EndOfLife:
		planned := ""
		if cause.Planned {
			planned = ", as planned"
		}
		w.summary = fmt.Sprintf("%s %s reached its end of life on %s", component, v.Minor(), cause.Date)
		w.message = fmt.Sprintf("%s, which was in support until %s%s.", runs, cause.Date, planned)
		if cause.Days >= 0 {
			w.summary = fmt.Sprintf("%s %s reaches its end of life on %s", component, v.Minor(), cause.Date)
			w.message = fmt.Sprintf("%s, which is in support until %s%s: %s.", runs, cause.Date, planned, daysLeft(cause.Days))
		}
		w.message = sentences(w.message, cause.Reason)
		w.remedy = fmt.Sprintf("Upgrade to %s or later.", v.Minor().Add(1))
	case *finding.LatestPatch:
		w.summary = fmt.Sprintf("%s %s is not the newest patch before the upgrade", component, v)
		w.message = sentences(fmt.Sprintf("%s %s %s from %s to another minor; the newest patch known of %s is %s.",
			where, verb(f.Subject.Locations, "moves", "move"), component, v, v.Minor(), cause.Latest), cause.Reason)
		w.remedy = fmt.Sprintf("Go to %s first.", cause.Latest)
	case *finding.Prerelease:
		w.summary = fmt.Sprintf("%s %s is a pre-release", component, v)
		w.message = sentences(runs+".", cause.Reason)
		w.remedy = fmt.Sprintf("Use a release of %s, unless this is a test.", v.Minor())
	case *finding.Webhook:
		what := "declares no match_policy"
		if cause.MatchPolicy != "" {
			what = fmt.Sprintf("matches with %q", cause.MatchPolicy)
		}
		w.summary = fmt.Sprintf("An admission webhook may miss requests to %s %s", component, v.Minor())
		w.message = sentences(fmt.Sprintf("%s %s while %s moves from %s to %s.", where, what, component, cause.From, v), cause.Reason)
		w.remedy = "Set its matchPolicy to Equivalent, or make sure that its rules list every version it has to see."
	case *finding.NextMinor:
		w.summary = fmt.Sprintf("%s %s would keep the control plane from %s", component, v.Minor(), cause.Next)
		w.message = sentences(fmt.Sprintf("%s, which may not run beside %s %s: %s would do.", runs, f.Reference.Component, cause.Next, Window(f.Allowed)), cause.Reason)
		w.remedy = fmt.Sprintf("Upgrade %s before the control plane moves on", instances(f.Subject))
		if f.Allowed.Minimum != nil {
			w.remedy += fmt.Sprintf(", to %s or later", f.Allowed.Minimum)
		}
		w.remedy += "."
	case *finding.MinorMove:
		w.summary = fmt.Sprintf("%s moves from %s to %s", component, cause.From.Minor(), v.Minor())
		w.message = fmt.Sprintf("%s %s %s from %s to %s.", where, verb(f.Subject.Locations, "moves", "move"), component, cause.From, v)
		w.remedy = cause.Note
	default:
		panic(fmt.Sprintf("report: no words for a finding caused by %T", cause))
	}
	return w
}

func daysLeft(n int) string {
	if n == 0 {
		return "today is the last day"
	}
	return count(n, "day") + " left"
}
