// Package main serves the provider, and does nothing else.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger, such as delve")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/versionskew/versionskew",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
