// SPDX-License-Identifier: MPL-2.0

// Package main serves the provider.
package main

import (
	"flag"
	"log"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// version is the release version. The release build sets it.
var version = "dev"

// gcPercent is the default of GOGC. The heap of a plan is small, so that collecting
// garbage at Go's default of 100 takes a fifth of the provider's time and only saves a
// few megabytes.
const gcPercent = 300

func main() {
	wait := flag.Bool("debug", false, "wait for a debugger, such as delve")
	flag.Parse()

	if err := provider.SilenceSDK(os.Getenv, os.Setenv); err != nil {
		log.Printf("[WARN] cannot turn off the logs of the SDK: %s", err)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	var options []tf6server.ServeOpt
	if *wait {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve("registry.terraform.io/versionskew/versionskew", provider.NewServer(version), options...)
	if err != nil {
		log.Fatal(err)
	}
}
