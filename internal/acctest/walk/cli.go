// SPDX-License-Identifier: MPL-2.0

package walk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/platform"
	"github.com/versionskew/terraform-provider-versionskew/internal/acctest/standin"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider"
)

// CLI runs an example module with Terraform or OpenTofu. The providers run in this process
// because starting them in each step would take much longer.
type CLI struct {
	// Binary is the path of the CLI.
	Binary string
	// Directory contains a copy of the module. The CLI writes files to it.
	Directory string

	environment []string
	world       *platform.World
}

// ErrCLITooOld is the error of NewCLI and OpenCLI if the module requires a newer CLI.
var ErrCLITooOld = errors.New("the module requires a newer CLI")

// NewCLI starts a walk through a copy of a module, on an empty platform. The providers
// stop when the context is done.
func NewCLI(ctx context.Context, binary, directory string, g Graph, observe bool, seed uint64) (*Walk, error) {
	c, err := OpenCLI(ctx, binary, directory)
	if err != nil {
		return nil, err
	}
	return start(g, observe, seed, c.world, c), nil
}

// OpenCLI initializes a copy of a module, on an empty platform. The providers stop when
// the context is done.
func OpenCLI(ctx context.Context, binary, directory string) (*CLI, error) {
	memory := &platform.Memory{}
	reattach, err := serve(ctx, memory)
	if err != nil {
		return nil, err
	}
	c := &CLI{Binary: binary, Directory: directory, world: &memory.World}
	c.environment = append(os.Environ(), "TF_REATTACH_PROVIDERS="+reattach, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+os.DevNull)
	out, err := c.Run("init", "-input=false", "-no-color")
	if acctest.RequiresNewerCLI(out) {
		return nil, ErrCLITooOld
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return c, nil
}

// World returns the simulated platform of the module.
func (c *CLI) World() *platform.World { return c.world }

// serve runs this provider and all stand-in providers in this process, and returns the
// value of TF_REATTACH_PROVIDERS that connects a CLI to them.
func serve(ctx context.Context, store platform.Store) (reattach string, err error) {
	if err := silenceSDK(); err != nil {
		return "", err
	}
	addresses, err := standin.Addresses()
	if err != nil {
		return "", err
	}
	servers := map[string]func() tfprotov6.ProviderServer{
		"versionskew/versionskew": provider.NewServer("test"),
	}
	for _, address := range addresses {
		server, err := standin.New(address, store)
		if err != nil {
			return "", err
		}
		servers[address] = func() tfprotov6.ProviderServer { return server }
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
	return string(text), err
}

// silenceSDK turns off the logs of the SDK unless provider logs are enabled. The provider
// normally does this in main, which does not run here.
func silenceSDK() error {
	for _, name := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK"} {
		if os.Getenv(name) != "" {
			return nil
		}
	}
	return errors.Join(os.Setenv("TF_LOG_SDK", "OFF"), os.Setenv("TF_LOG_SDK_PROTO", "OFF"))
}

// Run runs the CLI in the module and returns its combined output.
func (c *CLI) Run(arguments ...string) (string, error) {
	command := exec.Command(c.Binary, arguments...)
	command.Dir = c.Directory
	command.Env = c.environment
	out, err := command.CombinedOutput()
	return string(out), err
}

// canReplace is false for kubeadm, whose machines exist before Terraform runs, and for
// Talos, whose machines are replaced one by one.
func (c *CLI) canReplace(w *Walk) bool { return w.graph.managed() }

// detectsDrift is false for kubeadm, because ssh_resource does not read the versions of a
// machine.
func (c *CLI) detectsDrift(w *Walk) bool { return w.graph.Kind != platform.Kubeadm }

func (c *CLI) plan(w *Walk) (refused string, err error) {
	if err := c.writeVariables(w); err != nil {
		return "", err
	}
	arguments := []string{"plan", "-input=false", "-no-color", "-out=next.tfplan"}
	if w.replacing() {
		switch w.graph.Kind {
		case platform.AKS:
			arguments = append(arguments, "-replace=azurerm_kubernetes_cluster.main")
		case platform.GKE:
			arguments = append(arguments, "-replace=google_container_cluster.this")
		case platform.EKS, platform.Talos, platform.Kubeadm: // EKS replaces a renamed cluster
		}
	}
	out, err := c.Run(arguments...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if onlyGuardErrors(out) {
			return out, nil
		}
		return "", fmt.Errorf("the plan failed: %s", out)
	}
	return "", err
}

// onlyGuardErrors reports whether the output contains errors, all of them from the
// validation.
func onlyGuardErrors(out string) bool {
	errors := anyError.FindAllString(out, -1)
	return len(errors) > 0 && len(errors) == len(guardError.FindAllString(out, -1))
}

var (
	anyError   = regexp.MustCompile(`(?m)^Error: `)
	guardError = regexp.MustCompile(`(?m)^Error: .*\n(?:.+\n)*\n  with versionskew_validation\.this,`)
)

func (c *CLI) apply(w *Walk, _ []platform.Operation) (refused string, err error) {
	before := ""
	if running := w.running(); running != nil {
		before = running.ID
	}
	out, err := c.Run("apply", "-input=false", "-no-color", "next.tfplan")
	w.updateGeneration(before)
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		return "", err
	}
	if onlyGuardErrors(out) {
		return out, nil
	}
	if !slices.ContainsFunc(c.world.History, func(m platform.Event) bool { return m.Failed || m.Refused != "" }) {
		return "", fmt.Errorf("the apply failed: %s", out)
	}
	return "", nil
}

// CheckEmptyPlan returns an error if a plan right after an apply is not empty.
func (w *Walk) CheckEmptyPlan() error {
	c, ok := w.engine.(*CLI)
	if !ok {
		return nil
	}
	if out, err := c.Run("plan", "-input=false", "-no-color", "-detailed-exitcode"); err != nil {
		return fmt.Errorf("the plan after the apply is not empty: %s", out)
	}
	return nil
}

// writeVariables sets the variables of the module to the declared versions.
func (c *CLI) writeVariables(w *Walk) error {
	d := w.declared
	version := d.ControlPlane[platform.Managed]
	running := w.running()
	observe := w.observe && running != nil
	pools := func(attribute string) map[string]object {
		all := map[string]object{}
		for name, version := range d.Pools {
			if name != w.graph.defaultPool {
				all[name] = object{attribute: nullIfEmpty(version)}
			}
		}
		return all
	}
	variables := object{}
	switch w.graph.Kind {
	case platform.EKS:
		variables = object{
			"name": w.clusterName(d.Generation), "kubernetes_version": version, "kube_proxy_version": d.KubeProxy,
			"eks_managed_node_groups": pools("kubernetes_version"),
		}
		variables["kube_proxy_installed"] = running == nil || running.KubeProxy != ""
	case platform.AKS:
		variables = object{
			"resource_group_name": "example", "cluster_name": w.clusterName(d.Generation), "kubernetes_version": version,
			"orchestrator_version": nullIfEmpty(d.Pools[w.graph.defaultPool]), "agents_pool_name": w.graph.defaultPool, "node_pools": pools("orchestrator_version"),
		}
	case platform.GKE:
		variables = object{
			"project_id": "example", "region": "europe-west1", "name": w.clusterName(d.Generation), "kubernetes_version": version, "node_pools": pools("version"),
		}
		observe = observe && !w.replacing()
	case platform.Talos:
		variables = object{
			"cluster_name": w.clusterName(d.Generation), "kubernetes_version": d.ControlPlane[w.graph.instances[0]], "control_plane": sortedNames(d.ControlPlane), "workers": sortedNames(d.Pools),
		}
	case platform.Kubeadm:
		variables = object{"domain": "example.internal", "control_plane": d.ControlPlane, "workers": d.Pools}
	}
	variables["observe"] = observe
	return c.Set(variables)
}

// Set sets the variables of the module.
func (c *CLI) Set(variables map[string]any) error {
	text, err := json.MarshalIndent(variables, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Directory, "terraform.tfvars.json"), text, 0o600)
}
