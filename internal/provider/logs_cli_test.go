// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
)

// TestLogsOnDemand checks that the SDK writes logs if and only if a variable enables them.
func TestLogsOnDemand(t *testing.T) {
	t.Parallel()
	module := acctest.NewModule(t, "../../examples/quickstart")
	for _, variable := range []string{"", "TF_LOG_PROVIDER=TRACE", "TF_LOG=TRACE"} {
		command := module.Command("plan", "-input=false")
		if variable != "" {
			command.Env = append(command.Env, variable)
		}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", variable, err, out)
		}
		if logged := strings.Contains(string(out), "sdk.proto"); logged != (variable != "") {
			t.Errorf("with %q, the output has logs of the SDK: %t", variable, logged)
		}
	}
}
