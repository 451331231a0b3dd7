// SPDX-License-Identifier: MPL-2.0

// Command docs generates the parts of the documentation that tfplugindocs does not
// support: it includes files in guides, writes a page for each built-in policy, groups
// the arguments of resources and data sources, completes links between directories, draws
// the pictures, and updates the generated sections of the given pages.
//
//	docs TABLES README...
//
// TABLES is a directory that contains the table of allowed versions of each policy, as
// POLICY.md. Run the command in the root of the repository, after tfplugindocs.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: docs TABLES README...")
	}
	guides, images := filepath.Join("docs", "guides"), filepath.Join("docs", "images")
	problems := errors.Join(includeFiles(guides), writePolicyGuides(guides), groupArguments("docs"), writePictures(images))
	for _, readme := range os.Args[2:] {
		if err := refreshReadme(readme, os.Args[1]); err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s: %w", readme, err))
		}
	}
	if problems = errors.Join(problems, addressLinks("docs")); problems != nil {
		log.Fatal(problems)
	}
}
