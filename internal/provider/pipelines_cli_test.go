// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"sigs.k8s.io/yaml"
)

const pipelines = "../../examples/guides/ci"

// job holds the command lines that a service runs until one fails, and those that it
// runs afterwards in any case.
type job struct {
	lines, always []string
}

// services maps the files of the services to functions that read their jobs.
var services = map[string]func(t *testing.T, text []byte) job{
	"plan.yaml":      githubJob,
	"drift.yaml":     githubJob,
	"gitlab-ci.yml":  gitlabJob,
	"atlantis.yaml":  atlantisJob,
	"spacelift.yml":  spaceliftJob,
	"terragrunt.hcl": terragruntJob,
}

func githubJob(t *testing.T, text []byte) (j job) {
	var workflow struct {
		Defaults struct{ Run struct{ Shell string } }
		Jobs     map[string]struct {
			Steps []struct{ Run, If string }
		}
	}
	decode(t, text, &workflow)
	if workflow.Defaults.Run.Shell != "bash" {
		t.Error("without shell: bash, GitHub's shell ignores failures within a pipe")
	}
	for _, found := range workflow.Jobs {
		for _, step := range found.Steps {
			switch {
			case step.Run == "":
			case step.If == "always()":
				j.always = append(j.always, step.Run)
			case step.If == "":
				j.lines = append(j.lines, step.Run)
			default:
				t.Errorf("the test does not support if: %s", step.If)
			}
		}
	}
	return j
}

func gitlabJob(t *testing.T, text []byte) (j job) {
	var jobs map[string]struct {
		Script      []string
		AfterScript []string `json:"after_script"`
	}
	decode(t, text, &jobs)
	for _, found := range jobs {
		j.lines = append(j.lines, found.Script...)
		j.always = append(j.always, found.AfterScript...)
	}
	return j
}

func atlantisJob(t *testing.T, text []byte) (j job) {
	var config struct {
		Workflows map[string]struct {
			Plan struct{ Steps []any }
		}
	}
	decode(t, text, &config)
	for _, workflow := range config.Workflows {
		for _, step := range workflow.Plan.Steps {
			if custom, ok := step.(map[string]any); ok {
				j.lines = append(j.lines, "export PLANFILE=plan.bin; "+custom["run"].(string))
			} else {
				j.lines = append(j.lines, "terraform "+step.(string))
			}
		}
	}
	return j
}

// spaceliftJob adds the plan that Spacelift runs before the configured commands.
func spaceliftJob(t *testing.T, text []byte) job {
	var config struct {
		Defaults struct {
			AfterRun []string `json:"after_run"`
		} `json:"stack_defaults"`
	}
	decode(t, text, &config)
	return job{[]string{"terraform plan"}, config.Defaults.AfterRun}
}

// terragruntJob adds the plan that Terragrunt runs, with the configured arguments.
func terragruntJob(t *testing.T, text []byte) job {
	field := func(name string) []string {
		list := regexp.MustCompile(`(?m)^ *` + name + ` *= (\[.*\])$`).FindSubmatch(text)
		if list == nil {
			t.Fatalf("the file does not set %s", name)
		}
		var values []string
		decode(t, list[1], &values)
		return values
	}
	hook := field("execute")
	if len(hook) != 3 || hook[0] != "bash" || hook[1] != "-c" {
		t.Fatalf("the test does not support the hook %q", hook)
	}
	j := job{[]string{"terraform plan " + strings.Join(field("arguments"), " ")}, nil}
	if bytes.Contains(text, []byte("run_on_error = true")) {
		j.always = hook[2:]
	} else {
		j.lines = append(j.lines, hook[2])
	}
	return j
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// run runs a job as its service does. It returns the output with the written reports, and
// whether the job failed.
func (j job) run(t *testing.T, module *acctest.Module, variables string) (out string, failed bool) {
	t.Helper()
	page := module.Path("page.md")
	shell := func(line string) error {
		said, err := module.Shell("export GITHUB_STEP_SUMMARY=" + page + " " + variables + "; " + line)
		out += "$ " + line + "\n" + said
		return err
	}
	for _, line := range j.lines {
		if err := shell(withoutJUnit(t, line)); err != nil {
			failed = true
			break
		}
	}
	for _, line := range j.always {
		if err := shell(line); err != nil {
			t.Errorf("$ %s: %v\n%s", line, err, out)
		}
	}
	for _, written := range []string{"page.md", "version-skew.md"} {
		if text, err := os.ReadFile(module.Path(written)); err == nil {
			out += string(text)
		}
	}
	return out, failed
}

// withoutJUnit removes an option that OpenTofu does not have.
func withoutJUnit(t *testing.T, line string) string {
	t.Helper()
	product, err := acctest.Product()
	if err != nil {
		t.Fatal(err)
	}
	if product == "OpenTofu" {
		return strings.ReplaceAll(line, " -junit-xml=junit.xml", "")
	}
	return line
}

func needsShell(t *testing.T) {
	t.Helper()
	acctest.CLI(t)
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}

// violation makes the plan of the guide's module fail.
const violation = `TF_VAR_node_group_versions='{general="1.35",gpu="1.31"}'`

// TestPipelines runs every line of the file of each service. A job has to pass if and only
// if the plan does, and to write a report in either case.
func TestPipelines(t *testing.T) {
	needsShell(t)
	for name, read := range services {
		if name == "drift.yaml" {
			continue // See TestDrift.
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(pipelines, name))
			if err != nil {
				t.Fatal(err)
			}
			j := read(t, text)
			if len(j.lines) == 0 {
				t.Fatal("the job has no commands")
			}
			module := acctest.NewModule(t, pipelines)
			out, failed := j.run(t, module, "")
			if failed || name != "atlantis.yaml" && !strings.Contains(out, "## Version skew: supported") {
				t.Errorf("the job fails or writes no report for a valid plan:\n%s", out)
			}
			j.lines = slices.DeleteFunc(j.lines, func(line string) bool { return strings.Contains(line, "terraform test") })
			out, failed = j.run(t, module, violation)
			if !failed || !strings.Contains(out, "## Version skew: not supported") {
				t.Errorf("the job passes or writes no report for an invalid plan:\n%s", out)
			}
			if name != "plan.yaml" {
				return
			}
			if !regexp.MustCompile(`(?m)^::error file=main\.tf,line=[1-9][0-9]*,title=kubelet-apiserver::kubelet 1\.31 is too old for kube-apiserver 1\.35 .*%0A%0ATo repair: `).MatchString(out) {
				t.Errorf("the output has no annotation:\n%s", out)
			}
			if product, err := acctest.Product(); err == nil && product == "Terraform" {
				if junit, err := os.ReadFile(module.Path("junit.xml")); err != nil || !bytes.Contains(junit, []byte(`tests="4"`)) {
					t.Errorf("junit.xml: %v\n%s", err, junit)
				}
			}
		})
	}
}

// TestDrift checks that the nightly job passes while the cluster runs the declared versions,
// and fails with a report after an upgrade in the console.
func TestDrift(t *testing.T) {
	needsShell(t)
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(pipelines, "drift.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	module := acctest.NewModule(t, pipelines)
	module.MustRun("apply", "-auto-approve", "-input=false")
	j := githubJob(t, text)
	if out, failed := j.run(t, module, ""); failed {
		t.Errorf("the job reports drift without a change:\n%s", out)
	}
	module.Platform(func(w *platform.World) error {
		w.Clusters["production"].ControlPlane[platform.Managed] = "1.36"
		return nil
	})
	out, failed := j.run(t, module, "")
	if !failed || !strings.Contains(out, "1.36") || !strings.Contains(out, "## Version skew") {
		t.Errorf("the job does not report the drift:\n%s", out)
	}
}

// TestPipelineFiles validates the files against the schemas of their services. make lint
// checks those for GitHub.
func TestPipelineFiles(t *testing.T) {
	files := []string{filepath.Join(comments, "comment.yaml"), filepath.Join(comments, "gitlab-ci.yml")}
	for name := range services {
		files = append(files, filepath.Join(pipelines, name))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		schema := filepath.Join("testdata/pipelines", filepath.Base(name)+".schema.json")
		if _, err := os.Stat(schema); err != nil {
			if !strings.Contains(read(t, "../../GNUmakefile"), strings.TrimPrefix(name, "../../")) && filepath.Ext(name) != ".hcl" {
				t.Errorf("no test or linter checks %s", name)
			}
			continue
		}
		compiled, err := jsonschema.NewCompiler().Compile(schema)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTerragruntSyntax checks that the file is HCL in the format of the CLI.
func TestTerragruntSyntax(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(pipelines, "terragrunt.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	module := acctest.NewModule(t, pipelines)
	format := module.Command("fmt", "-")
	format.Stdin = bytes.NewReader(text)
	if out, err := format.Output(); err != nil || !bytes.Equal(out, text) {
		t.Errorf("%v: %s", err, out)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
