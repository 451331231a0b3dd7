// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

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
		set := map[string]string{}
		getenv := func(name string) string { return map[string]string{tt.name: tt.level}[name] }
		if err := provider.SilenceSDK(getenv, func(name, value string) error { set[name] = value; return nil }); err != nil {
			t.Error(err)
		}
		want := map[string]string{"TF_LOG_SDK": "OFF", "TF_LOG_SDK_FRAMEWORK": "OFF", "TF_LOG_SDK_PROTO": "OFF"}
		if tt.wanted {
			want = map[string]string{}
		}
		if !maps.Equal(set, want) {
			t.Errorf("with %s=%q, SilenceSDK sets %v, want %v", tt.name, tt.level, set, want)
		}
	}
}
