// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"slices"
	"strings"
)

// sdkLogs are the variables that set the log level of the SDK.
var sdkLogs = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"}

// SilenceSDK turns off the logs of the SDK, which writes several lines for each call,
// unless a variable enables logs of the provider. They take nearly half the time of a
// plan, although the CLI discards them unless the user enables logs.
func SilenceSDK(getenv func(string) string, setenv func(name, value string) error) error {
	if logsWanted(getenv) {
		return nil
	}
	var failed []error
	for _, name := range sdkLogs {
		failed = append(failed, setenv(name, "OFF"))
	}
	return errors.Join(failed...)
}

// logsWanted reports whether a variable enables logs of the provider:
// https://developer.hashicorp.com/terraform/plugin/log/managing
func logsWanted(getenv func(string) string) bool {
	return slices.ContainsFunc(append([]string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_VERSIONSKEW"}, sdkLogs...), func(name string) bool {
		level := getenv(name)
		return level != "" && !strings.EqualFold(level, "off")
	})
}
