// SPDX-License-Identifier: MPL-2.0

// Package main serves the provider.
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

// version is the release version. The release build sets it.
var version = "dev"

// gcPercent is the default of GOGC. The heap of a plan is small, so that collecting
// garbage at Go's default of 100 takes a fifth of the provider's time and only saves a
// few megabytes.
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

// sdkLogs are the variables that set the log level of the SDK.
var sdkLogs = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"}

// logsWanted reports whether a variable enables logs of the provider:
// https://developer.hashicorp.com/terraform/plugin/log/managing
func logsWanted(getenv func(string) string) bool {
	return slices.ContainsFunc(append([]string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_VERSIONSKEW"}, sdkLogs...), func(name string) bool {
		level := getenv(name)
		return level != "" && !strings.EqualFold(level, "off")
	})
}

// silenceSDK turns off the logs of the SDK, which writes several lines for each call.
// They take nearly half the time of a plan, although the CLI discards them unless the
// user enables logs.
func silenceSDK(setenv func(name, value string) error) {
	for _, name := range sdkLogs {
		if err := setenv(name, "OFF"); err != nil {
			log.Printf("[WARN] cannot set %s: %s", name, err)
		}
	}
}
