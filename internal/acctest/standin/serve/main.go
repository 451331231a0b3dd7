// SPDX-License-Identifier: MPL-2.0

// Command serve runs a stand-in provider as a plugin. The name of the binary selects the
// provider: terraform-provider-aws_v0.0.1 stands in for hashicorp/aws.
package main

import (
	"log"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
)

func main() {
	for _, address := range standin.Addresses() {
		if !strings.HasPrefix(filepath.Base(os.Args[0]), "terraform-provider-"+path.Base(address)+"_v") {
			continue
		}
		server := standin.New(address, platform.File(os.Getenv(standin.Environment)))
		if err := tf6server.Serve("registry.terraform.io/"+address, func() tfprotov6.ProviderServer { return server }); err != nil {
			log.Fatal(err)
		}
		return
	}
	log.Fatalf("no stand-in for provider %s", os.Args[0])
}
