// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// attach runs providers in this process, and returns the environment variable that connects
// a CLI to them. They stop when the context is done.
func attach(ctx context.Context, servers map[string]func() tfprotov6.ProviderServer) (variable string, err error) {
	if err := provider.SilenceSDK(os.Getenv, os.Setenv); err != nil {
		return "", err
	}
	type reattachConfig struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
		Addr            struct{ Network, String string }
	}
	configs := map[string]reattachConfig{}
	for address, server := range servers {
		config, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
		failed := make(chan error, 1)
		go func() {
			failed <- tf6server.Serve("registry.terraform.io/"+address, server, tf6server.WithDebug(ctx, config, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithoutLogStderrOverride())
		}()
		select {
		case err := <-failed:
			return "", fmt.Errorf("serving %s: %w", address, errors.Join(err, ctx.Err()))
		case c := <-config:
			r := reattachConfig{Protocol: string(c.Protocol), ProtocolVersion: c.ProtocolVersion, Pid: c.Pid, Test: c.Test}
			r.Addr.Network, r.Addr.String = c.Addr.Network(), c.Addr.String()
			for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
				configs[host+"/"+address] = r
			}
		}
	}
	text, err := json.Marshal(configs)
	return "TF_REATTACH_PROVIDERS=" + string(text), err
}
