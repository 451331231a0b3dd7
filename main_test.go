// SPDX-License-Identifier: MPL-2.0

package main

import "testing"

// TestSDKLogs checks that the SDK logs only if the user has enabled provider logs.
func TestSDKLogs(t *testing.T) {
	for _, tt := range []struct {
		name, level string
		wanted      bool
	}{
		{"TF_LOG", "", false},
		{"TF_LOG", "off", false},
		{"TF_LOG_CORE", "TRACE", false}, // only the CLI's own logs
		{"TF_LOG_PATH", "log", false},   // sets the file, not the level
		{"TF_LOG", "INFO", true},
		{"TF_LOG", "json", true},
		{"TF_LOG_PROVIDER", "TRACE", true},
		{"TF_LOG_PROVIDER_VERSIONSKEW", "DEBUG", true},
		{"TF_LOG_SDK", "DEBUG", true},
		{"TF_LOG_SDK_FRAMEWORK", "DEBUG", true},
		{"TF_LOG_SDK_PROTO", "DEBUG", true},
	} {
		if got := logsWanted(func(name string) string { return map[string]string{tt.name: tt.level}[name] }); got != tt.wanted {
			t.Errorf("%s=%s: logsWanted returns %t", tt.name, tt.level, got)
		}
	}
	set := map[string]string{}
	silenceSDK(func(name, value string) error { set[name] = value; return nil })
	if len(set) != 3 || set["TF_LOG_SDK"] != "OFF" || set["TF_LOG_SDK_FRAMEWORK"] != "OFF" || set["TF_LOG_SDK_PROTO"] != "OFF" {
		t.Errorf("silenceSDK sets %v", set)
	}
}
