// SPDX-License-Identifier: MPL-2.0

// Command docs generates the parts of the documentation that tfplugindocs does not:
// the files that guides include, a page for each built-in policy, the pictures, and
// the generated sections of the READMEs of the example modules. Run it at the root of
// the repository, after tfplugindocs. TABLES is a directory of tables of allowed
// versions, by policy.
//
//	docs TABLES README...
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
	problems := errors.Join(includeFiles(guides), writePolicyGuides(guides), writePictures(images))
	for _, readme := range os.Args[2:] {
		if err := refreshReadme(readme, os.Args[1]); err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s: %w", readme, err))
		}
	}
	if problems != nil {
		log.Fatal(problems)
	}
}
