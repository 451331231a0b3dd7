// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// registry is the address of the documentation in the Terraform registry.
const registry = "https://registry.terraform.io/providers/versionskew/versionskew/latest/docs/"

var pageLink = regexp.MustCompile(`\]\(([^():#]+)\.md(#[^()]*)?\)`)

// addressLinks replaces the relative links to pages in another directory with addresses in
// the Terraform registry. The registry serves index.md without a trailing slash, so its
// relative links resolve to the parent. OpenTofu's registry uses other names of
// directories, and only strips the extension from links within a directory.
func addressLinks(directory string) error {
	return filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		page, err := filepath.Rel(directory, name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, addressLinksOf(filepath.ToSlash(page), text), 0o644)
	})
}

// addressLinksOf replaces the links of one page, whose path is relative to docs.
func addressLinksOf(page string, text []byte) []byte {
	here := path.Dir(page)
	return pageLink.ReplaceAllFunc(text, func(link []byte) []byte {
		m := pageLink.FindSubmatch(link)
		target := path.Join(here, string(m[1]))
		if here != "." && path.Dir(target) == here {
			return link
		}
		return []byte("](" + registry + target + string(m[2]) + ")")
	})
}
