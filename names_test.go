// SPDX-License-Identifier: MPL-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tree is what the documents for contributors can name.
type tree struct {
	files []string            // files and directories
	names map[string][]string // the files that declare a name: Check, skew.Check, Cluster.Sites
}

func newTree(t *testing.T) tree {
	t.Helper()
	found := tree{names: map[string][]string{}}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "dist"}, file):
			return fs.SkipDir
		case filepath.Ext(file) == ".go":
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			found.declare(filepath.ToSlash(file), parsed)
		}
		found.files = append(found.files, filepath.ToSlash(file))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// declare adds the names that a file declares at the top level, and its methods.
func (t tree) declare(file string, parsed *ast.File) {
	add := func(qualifier, name string) {
		t.names[name] = append(t.names[name], file)
		t.names[qualifier+"."+name] = append(t.names[qualifier+"."+name], file)
	}
	for _, declaration := range parsed.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			qualifier := parsed.Name.Name
			if d.Recv != nil {
				ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
					receiver, ok := n.(*ast.Ident)
					if ok {
						qualifier = receiver.Name
					}
					return !ok
				})
			}
			add(qualifier, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(parsed.Name.Name, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(parsed.Name.Name, name.Name)
					}
				}
			}
		}
	}
}

// has reports whether a file or directory exists whose path ends with a name. NAME in it
// stands for any name.
func (t tree) has(name string) bool {
	pattern := strings.ReplaceAll(strings.TrimSuffix(name, "/"), "NAME", "*")
	depth := strings.Count(pattern, "/") + 1
	return slices.ContainsFunc(t.files, func(file string) bool {
		parts := strings.Split(file, "/")
		if len(parts) < depth {
			return false
		}
		ok, err := path.Match(pattern, strings.Join(parts[len(parts)-depth:], "/"))
		return ok && err == nil
	})
}

// TestNames checks that the files, packages, functions and types that the documents for
// contributors name exist.
func TestNames(t *testing.T) {
	var (
		quoted    = regexp.MustCompile("`([^`\n]+)`")
		file      = regexp.MustCompile(`^[\w.-]*(?:/[\w.-]*)+$|^\w[\w.-]*\.(?:go|json|md|mod|tmpl|txt|ya?ml)$`)
		qualified = regexp.MustCompile(`^([a-z]\w*\.[A-Za-z]\w*|\w+\.[A-Z]\w*)(?:\(.*\))?$`)
		mixed     = regexp.MustCompile(`^([A-Za-z]*[a-z][A-Z][A-Za-z]*|[A-Z][a-z]+)(?:\(.*\))?$`)
		located   = regexp.MustCompile("`(\\w+)`(?: and `(\\w+)`)? in `([\\w./]+\\.go|[\\w./]+/)`")
	)
	// Names in terraform-plugin-framework, and directories that make creates.
	elsewhere := []string{
		"Elements", "MapNestedAttribute", "MapValue.Elements", "mapElemObject", "internal/fwserver/attribute_plan_modification.go",
		"dist/",
	}
	found := newTree(t)
	for _, document := range []string{"CONTRIBUTING.md", "DESIGN.md"} {
		text := read(t, document)
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			if slices.Contains(elsewhere, strings.TrimSuffix(m[1], "()")) {
				continue
			}
			if file.MatchString(m[1]) {
				if !found.has(m[1]) && !found.has(m[1]+".yaml") {
					t.Errorf("%s names %s, but no such file exists", document, m[1])
				}
				continue
			}
			for _, pattern := range []*regexp.Regexp{qualified, mixed} {
				if name := pattern.FindStringSubmatch(m[1]); name != nil && found.names[name[1]] == nil {
					t.Errorf("%s names %s, but nothing declares it", document, name[1])
				}
			}
		}
		for _, m := range located.FindAllStringSubmatch(text, -1) {
			for _, name := range m[1:3] {
				in := func(file string) bool { return strings.Contains("/"+file, "/"+m[3]) }
				if name != "" && !slices.Contains(elsewhere, name) && !slices.ContainsFunc(found.names[name], in) {
					t.Errorf("%s names %s in %s, but it is declared in %v", document, name, m[3], found.names[name])
				}
			}
		}
	}

	linter := read(t, ".golangci.yml")
	functions := regexp.MustCompile(`pattern: \^(\w+)\\\.\(?([\w|]+)\)?\$`).FindAllStringSubmatch(linter, -1)
	if len(functions) != strings.Count(linter, "pattern:") {
		t.Error(`a pattern in .golangci.yml is not like ^package\.(Function|Function)$`)
	}
	for _, m := range functions {
		for _, name := range strings.Split(m[2], "|") {
			if found.names[m[1]+"."+name] == nil {
				t.Errorf(".golangci.yml forbids %s.%s, but nothing declares it", m[1], name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`"!?\*\*/([\w/.]+?)(?:/\*\*)?"`).FindAllStringSubmatch(linter, -1) {
		if !found.has(m[1]) {
			t.Errorf(".golangci.yml names %s, but no such file exists", m[1])
		}
	}
}

// TestComponentNames checks that below package provider only the declarations that
// DESIGN.md lists contain the name of a component. kubectl is the name of an attribute,
// too.
func TestComponentNames(t *testing.T) {
	components := regexp.MustCompile(`^"(kube-apiserver|kube-controller-manager|kube-scheduler|cloud-controller-manager|kubelet|kube-proxy|kubeadm)"$`)
	design := read(t, "DESIGN.md")
	checked := 0
	for _, directory := range []string{"version", "policy", "releases", "finding", "skew", "upgrade", "evaluation", "report"} {
		files, err := filepath.Glob("internal/" + directory + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal("no files in", directory, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			named := map[*ast.BasicLit]bool{}
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					if strings.Contains(design, "`"+parsed.Name.Name+"."+n.Names[0].Name+"`") {
						ast.Inspect(n, func(n ast.Node) bool {
							if literal, ok := n.(*ast.BasicLit); ok {
								named[literal] = true
							}
							return true
						})
					}
				case *ast.BasicLit:
					if components.MatchString(n.Value) && !named[n] {
						t.Errorf("%s contains %s, but DESIGN.md does not list the declaration: rules are data", file, n.Value)
					}
				}
				return true
			})
		}
	}
	if checked < 50 {
		t.Errorf("only %d files were checked", checked)
	}
}
