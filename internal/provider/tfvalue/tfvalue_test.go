// SPDX-License-Identifier: MPL-2.0

package tfvalue_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/versionskew/terraform-provider-versionskew/internal/provider/tfvalue"
)

var pool = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"kubelet": tftypes.String, "kube_proxy": tftypes.String}}

var cluster = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
	"pools": tftypes.Map{ElementType: pool}, "kubectl": tftypes.List{ElementType: tftypes.String},
	"ok": tftypes.Bool, "count": tftypes.Number, "text": tftypes.String,
}}

type poolModel struct {
	Kubelet   string  `tfsdk:"kubelet"`
	KubeProxy *string `tfsdk:"kube_proxy"`
}

type model struct {
	Pools map[string]poolModel `tfsdk:"pools"`
	OK    bool                 `tfsdk:"ok"`
	Count int64                `tfsdk:"count"`
}

// TestWith checks that With writes a model and keeps other attributes.
func TestWith(t *testing.T) {
	before := tfvalue.Of(cluster, map[string]any{"text": "kept", "kubectl": []string{"1.30"}, "count": 1})
	after := tfvalue.With(before, model{Pools: map[string]poolModel{"gpu": {Kubelet: "1.29"}}, OK: true, Count: 2})

	fields := tfvalue.Fields(after)
	gpu := tfvalue.Fields(tfvalue.Fields(fields["pools"])["gpu"])
	if got := tfvalue.String(gpu["kubelet"]); got != "1.29" {
		t.Errorf("kubelet is %q, want 1.29", got)
	}
	if v := gpu["kube_proxy"]; !v.IsNull() || tfvalue.IsSet(v) {
		t.Errorf("kube_proxy is %v, want null", v)
	}
	if !tfvalue.Bool(fields["ok"]) {
		t.Error("ok is false, want true")
	}
	if n, _ := tfvalue.Number(fields["count"]).Int64(); n != 2 {
		t.Errorf("count is %d, want 2", n)
	}
	if got := tfvalue.String(fields["text"]); got != "kept" {
		t.Errorf("text is %q, want kept", got)
	}
	if clients := tfvalue.Elements(fields["kubectl"]); len(clients) != 1 || tfvalue.String(clients[0]) != "1.30" {
		t.Errorf("kubectl is %v, want 1.30", clients)
	}
	if !tfvalue.Fields(before)["ok"].IsNull() {
		t.Error("With modified its argument")
	}
}

// TestRead checks that Read sets the fields of a struct and of the structs that it embeds, and
// none from an object that is unknown.
func TestRead(t *testing.T) {
	type inner struct {
		OK tftypes.Value `tfsdk:"ok"`
	}
	var m struct {
		inner
		Text tftypes.Value `tfsdk:"text"`
	}
	tfvalue.Read(tfvalue.Of(cluster, map[string]any{"text": "read", "ok": true}), &m)
	if tfvalue.String(m.Text) != "read" || !tfvalue.Bool(m.OK) {
		t.Errorf("read %v", m)
	}
	var unset inner
	tfvalue.Read(tftypes.NewValue(cluster, tftypes.UnknownValue), &unset)
	if !unset.OK.IsNull() {
		t.Errorf("%v is read from an unknown object", unset)
	}
}

// TestUnset checks that null and unknown values are read as zero values.
func TestUnset(t *testing.T) {
	for name, with := range map[string]any{"null": nil, "unknown": tftypes.UnknownValue} {
		for _, typ := range []tftypes.Type{tftypes.String, tftypes.Bool, tftypes.Number, cluster, tftypes.List{ElementType: tftypes.String}} {
			v := tftypes.NewValue(typ, with)
			if tfvalue.IsSet(v) || tfvalue.String(v) != "" || tfvalue.Bool(v) || tfvalue.Number(v).Sign() != 0 || tfvalue.Fields(v) != nil || tfvalue.Elements(v) != nil {
				t.Errorf("%s %s is not read as the zero value", name, typ)
			}
		}
	}
}

// TestUnknownAttribute checks that a model that does not fit its schema panics, because
// it is a programming error.
func TestUnknownAttribute(t *testing.T) {
	for name, call := range map[string]func(){
		"Of": func() { tfvalue.Of(pool, map[string]any{"kubelt": "1.29"}) },
		"Read": func() {
			tfvalue.Read(tfvalue.Of(pool, map[string]any{"kubelet": "1.29"}), &struct {
				Kubelet tftypes.Value `tfsdk:"kubelt"`
			}{})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			call()
		}()
	}
}
