// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

const comments = "../../examples/guides/comment"

// comment is a comment in the API of GitHub and GitLab.
type comment struct {
	ID   int    `json:"id"`
	URL  string `json:"url"`
	Body string `json:"body"`
}

// commentAPI is an API that only accepts requests with a token.
type commentAPI struct {
	*httptest.Server
	comments []*comment
}

// serveComments serves the comments of a pull request at a path. update is the method that
// changes a comment, and its address is that of the comments, or of all comments, with an ID.
func serveComments(t *testing.T, path, each, update, header, token string) *commentAPI {
	api := &commentAPI{}
	authorized := func(serve http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(header) != token {
				http.Error(w, "no token", http.StatusUnauthorized)
				return
			}
			serve(w, r)
		}
	}
	read := func(r *http.Request) (body struct{ Body string }) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Body == "" || len(body.Body) > 65536 {
			t.Errorf("%s %s: %v, %d bytes", r.Method, r.URL, err, len(body.Body))
		}
		return body
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, authorized(func(w http.ResponseWriter, _ *http.Request) {
		if err := json.NewEncoder(w).Encode(api.comments); err != nil {
			t.Error(err)
		}
	}))
	mux.HandleFunc("POST "+path, authorized(func(w http.ResponseWriter, r *http.Request) {
		id := len(api.comments) + 1
		api.comments = append(api.comments, &comment{id, fmt.Sprintf("%s%s/%d", api.URL, each, id), read(r).Body})
		w.WriteHeader(http.StatusCreated)
	}))
	mux.HandleFunc(update+" "+each+"/{id}", authorized(func(_ http.ResponseWriter, r *http.Request) {
		for _, c := range api.comments {
			if fmt.Sprint(c.ID) == r.PathValue("id") {
				c.Body = read(r).Body
				return
			}
		}
		t.Errorf("%s %s: no such comment", r.Method, r.URL)
	}))
	api.Server = httptest.NewServer(mux)
	t.Cleanup(api.Close)
	api.comments = []*comment{{1, api.URL + each + "/1", "Please review."}}
	return api
}

// TestComments runs every line of the files for GitHub and GitLab against a simulated API:
// with a plan that fails, with one that passes, and with one that does not get as far as the
// check. There has to be one comment, with the report of the last plan.
func TestComments(t *testing.T) {
	needsShell(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	for file, service := range map[string]struct {
		read        func(t *testing.T, text []byte) job
		serve       func(t *testing.T) *commentAPI
		environment string // with %s for the address of the API
	}{
		"comment.yaml": {githubJob, func(t *testing.T) *commentAPI {
			return serveComments(t, "/repos/o/r/issues/7/comments", "/repos/o/r/issues/comments", "PATCH", "Authorization", "Bearer secret")
		}, "TOKEN=secret COMMENTS=%s/repos/o/r/issues/7/comments PICTURES=https://example.com/pictures "},
		"gitlab-ci.yml": {gitlabJob, func(t *testing.T) *commentAPI {
			return serveComments(t, "/projects/5/merge_requests/7/notes", "/projects/5/merge_requests/7/notes", "PUT", "PRIVATE-TOKEN", "secret")
		}, "GITLAB_TOKEN=secret NOTES=%s/projects/5/merge_requests/7/notes CI_JOB_URL=https://example.com/job "},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(comments, file))
			if err != nil {
				t.Fatal(err)
			}
			j, api := service.read(t, text), service.serve(t)
			module := acctest.NewModule(t, comments)
			for _, run := range []struct {
				variables string
				fails     bool
				want      string
			}{
				{"", true, "## Version skew: not supported"},
				{"TF_VAR_cluster_version=1.35 TF_VAR_node_group_version=1.34", false, "## Version skew: supported"},
				{"TF_VAR_cluster_version=latest", true, "The versions were not checked"},
				{"", true, "## Upgrade to 1.36: "},
			} {
				if err := os.RemoveAll(module.Path("plan.bin")); err != nil {
					t.Fatal(err)
				}
				out, failed := j.run(t, module, fmt.Sprintf(service.environment, api.URL)+run.variables)
				if failed != run.fails || len(api.comments) != 2 {
					t.Fatalf("%s: failed is %v, and there are %d comments:\n%s", run.variables, failed, len(api.comments), out)
				}
				got := api.comments[1].Body
				if !strings.HasPrefix(got, "<!-- versionskew -->\n") || !strings.Contains(got, run.want) || !strings.Contains(got, "\n[Pictures](https://example.com/") {
					t.Errorf("%s: the comment does not contain %q:\n%s", run.variables, run.want, got)
				}
			}
			// The guide shows the comment and the pictures of the last run.
			for _, name := range []string{"comment.md", "versions.svg", "upgrade.svg"} {
				got, err := os.ReadFile(module.Path(name))
				if err != nil {
					t.Fatal(err)
				}
				if name == "comment.md" {
					got = regexp.MustCompile(`(?s)^<!-- versionskew -->\n|\n*\[Pictures\].*`).ReplaceAll(got, nil)
					got = append(got, '\n')
				}
				shown := filepath.Join(comments, name)
				if want, _ := os.ReadFile(shown); bytes.Equal(got, want) {
					continue
				}
				if !*update {
					t.Errorf("the guide shows another %s. Run go test ./internal/provider -run TestComments -update to replace it with:\n%s", name, got)
				} else if err := os.WriteFile(shown, got, 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
