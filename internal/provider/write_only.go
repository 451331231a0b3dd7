// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// writeOnly returns an optional attribute as a write-only one, which is in the
// configuration but in neither the plan nor the state. All nested attributes have to be
// write-only too.
func writeOnly(a datasource.Attribute) schema.Attribute {
	switch a := a.(type) {
	case datasource.StringAttribute:
		return schema.StringAttribute{MarkdownDescription: a.MarkdownDescription, Optional: true, WriteOnly: true}
	case datasource.ListAttribute:
		return schema.ListAttribute{MarkdownDescription: a.MarkdownDescription, ElementType: a.ElementType, Optional: true, WriteOnly: true}
	case datasource.MapAttribute:
		return schema.MapAttribute{MarkdownDescription: a.MarkdownDescription, ElementType: a.ElementType, Optional: true, WriteOnly: true}
	case datasource.MapNestedAttribute:
		return schema.MapNestedAttribute{MarkdownDescription: a.MarkdownDescription, Optional: true, WriteOnly: true,
			NestedObject: schema.NestedAttributeObject{Attributes: allWriteOnly(a.NestedObject.Attributes)}}
	case datasource.SingleNestedAttribute:
		return schema.SingleNestedAttribute{MarkdownDescription: a.MarkdownDescription, Optional: true, WriteOnly: true,
			Attributes: allWriteOnly(a.Attributes)}
	}
	panic(fmt.Sprintf("provider: a %T has no write-only form", a)) // Every test that loads the schema would fail.
}

func allWriteOnly(attributes map[string]datasource.Attribute) map[string]schema.Attribute {
	all := make(map[string]schema.Attribute, len(attributes))
	for name, a := range attributes {
		all[name] = writeOnly(a)
	}
	return all
}
