// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
	"github.com/versionskew/terraform-provider-versionskew/internal/releases"
	"github.com/versionskew/terraform-provider-versionskew/internal/report"
	"github.com/versionskew/terraform-provider-versionskew/internal/version"
)

type releasesDataSource struct {
	settings settings
}

func (d *releasesDataSource) name() string { return providerName + "_releases" }

func (d *releasesDataSource) schema() schema.Schema {
	planned := func(date string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: fmt.Sprintf("Whether `%s` is planned. Only has an effect together with it. Default: false.", date), Optional: true}
	}
	attributes := map[string]schema.Attribute{
		"as_of": optionalText("Date for which the status is reported, as `YYYY-MM-DD`. Default: today in UTC."),
		"additional_releases": schema.MapNestedAttribute{
			MarkdownDescription: "Releases to add to the built-in calendar or to correct in it, keyed by minor version. Attributes that are set replace those of the calendar.",
			Optional:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"release_date":         optionalText("Release date, as `YYYY-MM-DD`."),
				"release_date_planned": planned("release_date"),
				"maintenance_start":    optionalText("First day of maintenance, as `YYYY-MM-DD`."),
				"end_of_life":          optionalText("Last day of support, as `YYYY-MM-DD`."),
				"end_of_life_planned":  planned("end_of_life"),
				"latest_patch":         optionalText("Newest patch, such as `1.31.4`."),
			}},
		},
	}
	maps.Copy(attributes, releasesOutputs())
	return schema.Schema{
		MarkdownDescription: "Provides the Kubernetes release calendar: release dates, end-of-life dates, and the minor versions that are supported on a date. " +
			"The calendar is built into the provider, so it may lack the newest minor versions.",
		Attributes: attributes,
	}
}

// releasesOutputs returns the attributes of releasesModel.
func releasesOutputs() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"latest":    computedText("Newest minor version released by that date. Null before the first release."),
		"supported": computedTexts("Minor versions in support on that date, including those in maintenance, oldest first."),
		"releases": computedMap("All releases of the calendar, keyed by minor version.", map[string]schema.Attribute{
			"release_date":         computedText("Release date, or null if unknown."),
			"release_date_planned": computedBool("Whether `release_date` is planned."),
			"maintenance_start":    computedText("First day of maintenance, in which only critical fixes are made, or null if unknown."),
			"end_of_life":          computedText("Last day of support, or null if unknown."),
			"end_of_life_planned":  computedBool("Whether `end_of_life` is planned. The final date can differ by a few weeks."),
			"latest_patch":         computedText("Newest patch that the calendar knows, or null. There may be newer ones."),
			"status":               computedText("Status on that date: `unreleased`, `supported`, `maintenance`, `end_of_life`, or `unknown` if dates are missing or a planned release date has passed."),
		}),
	}
}

type releasesModel struct {
	Latest    *string                 `tfsdk:"latest"`
	Supported []string                `tfsdk:"supported"`
	Releases  map[string]releaseModel `tfsdk:"releases"`
}

type releaseModel struct {
	ReleaseDate        *string `tfsdk:"release_date"`
	ReleaseDatePlanned bool    `tfsdk:"release_date_planned"`
	MaintenanceStart   *string `tfsdk:"maintenance_start"`
	EndOfLife          *string `tfsdk:"end_of_life"`
	EndOfLifePlanned   bool    `tfsdk:"end_of_life_planned"`
	LatestPatch        *string `tfsdk:"latest_patch"`
	Status             string  `tfsdk:"status"`
}

func (d *releasesDataSource) check(config tftypes.Value) diag.Diagnostics {
	_, _, diags := d.read(config)
	return diags
}

// read returns the calendar and the day on which it is asked for.
func (d *releasesDataSource) read(config tftypes.Value) (*releases.Calendar, releases.Date, diag.Diagnostics) {
	attributes := tfvalue.Fields(config)
	calendar, diags := readCalendar(attributes["additional_releases"])
	day, problems := readDay(attributes["as_of"], d.settings)
	return calendar, day, append(diags, problems...)
}

func (d *releasesDataSource) outputs(config tftypes.Value) (any, diag.Diagnostics) {
	calendar, day, diags := d.read(config)
	if diags.HasError() {
		return nil, diags
	}
	return releasesModelOf(calendar, day), diags
}

// readCalendar returns the built-in calendar with the additional releases.
func readCalendar(v tftypes.Value) (*releases.Calendar, diag.Diagnostics) {
	var diags diag.Diagnostics
	var additional []releases.Release
	rows := tfvalue.Fields(v)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		at := path.Root("additional_releases").AtMapKey(name)
		inRelease := func(field string) string { return at.String() + "." + field }
		minor, err := version.Parse(name)
		if err != nil {
			diags.Append(errorAt(at, report.InvalidVersion([]string{at.String()}, name, err)))
			continue
		}
		row := releases.Release{Minor: minor.Minor()}
		fields := tfvalue.Fields(rows[name])
		dates := map[string]*releases.Date{"release_date": &row.ReleaseDate, "maintenance_start": &row.MaintenanceStart, "end_of_life": &row.EndOfLife}
		for _, field := range slices.Sorted(maps.Keys(dates)) {
			if value := fields[field]; tfvalue.IsSet(value) {
				if *dates[field], err = releases.ParseDate(tfvalue.String(value)); err != nil {
					diags.Append(errorAt(at, report.InvalidDate(inRelease(field), tfvalue.String(value), err)))
				}
			}
		}
		for field, flag := range map[string]*bool{"release_date_planned": &row.ReleaseDatePlanned, "end_of_life_planned": &row.EndOfLifePlanned} {
			*flag = tfvalue.Bool(fields[field])
		}
		patch, problems := readVersion(fields["latest_patch"], at, inRelease("latest_patch"), version.Parse)
		row.LatestPatch = patch
		diags.Append(problems...)
		additional = append(additional, row)
	}
	calendar := releases.Embedded().With(additional...)
	if err := calendar.Check(); err != nil && !diags.HasError() {
		diags.Append(errorAt(path.Root("additional_releases"), report.InvalidReleases(err)))
	}
	return calendar, limited(diags)
}

func releasesModelOf(c *releases.Calendar, day releases.Date) releasesModel {
	model := releasesModel{Supported: report.Strings(c.Supported(day)), Releases: map[string]releaseModel{}}
	if latest, ok := c.Latest(day); ok {
		model.Latest = orNull(latest.Version())
	}
	for _, r := range c.Releases() {
		model.Releases[r.Minor.String()] = releaseModel{
			ReleaseDate:        orNull(r.ReleaseDate),
			ReleaseDatePlanned: r.ReleaseDatePlanned,
			MaintenanceStart:   orNull(r.MaintenanceStart),
			EndOfLife:          orNull(r.EndOfLife),
			EndOfLifePlanned:   r.EndOfLifePlanned,
			LatestPatch:        orNull(r.LatestPatch),
			Status:             string(c.Status(r.Minor, day)),
		}
	}
	return model
}
