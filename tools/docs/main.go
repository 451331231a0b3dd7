// Command docs writes what the documentation holds beyond what tfplugindocs
// makes of the schema: the files that guides include, a guide for every built-in
// policy, the picture of the README, and the generated sections of the READMEs
// of the example modules. It runs at the root of the repository, after
// tfplugindocs; TABLES is a directory of tables of allowed versions, by policy.
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
	problems := errors.Join(includeFiles(guides), writePolicyGuides(guides), writePicture(images))
	for _, readme := range os.Args[2:] {
		if err := refreshReadme(readme, os.Args[1]); err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s: %w", readme, err))
		}
	}
	if problems != nil {
		log.Fatal(problems)
	}
}
