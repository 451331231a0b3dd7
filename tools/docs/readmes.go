// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// section matches a generated section of a README:
//
//	<!-- generated: KIND ARGUMENT -->
//	<!-- end -->
//
// KIND is "inputs" or "outputs" for the variables or outputs of the module in the
// directory of the README, "usage" for the content of the file ARGUMENT,
// "allowed-versions" for the table of the policy ARGUMENT, or "policies" for the table of
// all policies, with links to pages in the directory ARGUMENT, or "rules" for the rules
// that the page has no section about.
var section = regexp.MustCompile(`(?s)<!-- generated: (\S+)(?: (\S+))? -->.*?<!-- end -->`)

// refreshReadme updates the generated sections of a README. tables is the directory with
// the tables of allowed versions.
func refreshReadme(readme, tables string) error {
	page, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	module := filepath.Dir(readme)
	var problems error
	updated := section.ReplaceAllFunc(page, func(old []byte) []byte {
		m := section.FindSubmatch(old)
		kind, argument := string(m[1]), string(m[2])
		var text string
		var err error
		switch kind {
		case "inputs":
			text, err = list(module, "variable")
		case "outputs":
			text, err = list(module, "output")
		case "usage":
			text, err = contents(filepath.Join(module, argument))
			text = "```hcl\n" + text + "\n```"
		case "allowed-versions":
			text, err = contents(filepath.Join(tables, argument+".md"))
		case "policies":
			text, err = policyTable(argument)
		case "rules":
			text, err = ruleList(string(page))
		default:
			err = fmt.Errorf("unknown kind of section %q", kind)
		}
		problems = errors.Join(problems, err)
		head, _, _ := strings.Cut(string(old), "-->")
		return fmt.Appendf(nil, "%s-->\n%s\n<!-- end -->", head, text)
	})
	if problems != nil {
		return problems
	}
	return os.WriteFile(readme, updated, 0o644)
}

func contents(file string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// list returns a Markdown list with an item for each variable or output of a module.
func list(module, kind string) (string, error) {
	files, err := filepath.Glob(filepath.Join(module, "*.tf"))
	if err != nil {
		return "", err
	}
	var items []string
	for _, file := range files {
		more, err := listFile(file, kind)
		if err != nil {
			return "", err
		}
		items = append(items, more...)
	}
	return strings.Join(items, "\n"), nil
}

func listFile(file, kind string) (items []string, err error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parsed, diagnostics := hclsyntax.ParseConfig(source, filepath.Base(file), hcl.InitialPos)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return nil, fmt.Errorf("%s is not in HCL native syntax", file)
	}
	for _, block := range body.Blocks {
		if block.Type != kind {
			continue
		}
		description := block.Body.Attributes["description"]
		if description == nil {
			return nil, fmt.Errorf("%s %q has no description", kind, block.Labels[0])
		}
		text, diagnostics := description.Expr.Value(nil)
		if diagnostics.HasErrors() {
			return nil, diagnostics
		}
		item := "- `" + block.Labels[0] + "`"
		if kind == "variable" {
			item += " (" + typeAndDefault(block.Body.Attributes, source) + ")"
		}
		items = append(items, item+": "+text.AsString())
	}
	return items, nil
}

// typeAndDefault formats the type of a variable, and its default or "required".
func typeAndDefault(attributes hclsyntax.Attributes, source []byte) string {
	s := "`" + oneLine(attributes["type"], source) + "`, "
	if fallback := attributes["default"]; fallback != nil {
		return s + "default `" + oneLine(fallback, source) + "`"
	}
	return s + "required"
}

// oneLine formats an expression on one line.
func oneLine(attribute *hclsyntax.Attribute, source []byte) string {
	var s string
	for line := range strings.Lines(string(attribute.Expr.Range().SliceBytes(source))) {
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case s == "" || strings.HasSuffix(s, "("):
		case strings.HasSuffix(s, "{") || strings.HasPrefix(line, "}") || strings.HasSuffix(s, ","):
			s += " "
		default:
			s += ", "
		}
		s += line
	}
	return s
}
