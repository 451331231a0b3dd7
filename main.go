// SPDX-License-Identifier: MPL-2.0

// Package main serves the provider, and does nothing else.
package main

import (
	"flag"
	"log"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// version is set by the release build.
var version = "dev"

// gcPercent is how much the heap may grow, in percent of what is in use, before
// garbage is collected. Little is in use while a plan runs, so that collecting at
// the usual 100 takes a fifth of the provider's time, to save a few megabytes.
const gcPercent = 300

func main() {
	wait := flag.Bool("debug", false, "wait for a debugger, such as delve")
	flag.Parse()

	if !logsWanted(os.Getenv) {
		silenceSDK(os.Setenv)
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

// sdkLogs are the variables that set the level of what the SDK logs by itself.
var sdkLogs = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"}

// logsWanted reports whether the user asks for logs of providers in any of the
// ways there are: https://developer.hashicorp.com/terraform/plugin/log/managing
func logsWanted(getenv func(string) string) bool {
	return slices.ContainsFunc(append([]string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_VERSIONSKEW"}, sdkLogs...), func(name string) bool {
		level := getenv(name)
		return level != "" && !strings.EqualFold(level, "off")
	})
}

// silenceSDK turns the SDK's own log lines off. It writes several for every
// call, and nearly half of the time of a plan goes into them, although the CLI
// throws them away when nobody has asked for logs.
func silenceSDK(setenv func(name, value string) error) {
	for _, name := range sdkLogs {
		if err := setenv(name, "OFF"); err != nil {
			log.Printf("[WARN] %s can't be set: %s", name, err)
		}
	}
}
