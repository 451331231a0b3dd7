// SPDX-License-Identifier: MPL-2.0

package tfvalue

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
)

// Encode does what With does to an object in MessagePack, the encoding of the protocol. It
// copies the other attributes unread. This takes a fraction of the time that With needs,
// because tftypes checks the type of a nested value once per level.
func Encode(t tftypes.Type, object []byte, model any) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, len(object)+initialSize))
	d, e := msgpack.NewDecoder(bytes.NewReader(object)), encoder{msgpack.NewEncoder(out)}
	attributes := ObjectType(t).AttributeTypes
	fields := maps.Collect(namedFields(reflect.ValueOf(model)))
	length, err := d.DecodeMapLen()
	if err != nil {
		return nil, err
	}
	must(e.EncodeMapLen(length))
	for range length {
		name, err := d.DecodeString()
		if err != nil {
			return nil, err
		}
		value, err := d.DecodeRaw()
		if err != nil {
			return nil, err
		}
		must(e.EncodeString(name))
		if field, ok := fields[name]; ok {
			e.write(attributes[name], field)
		} else {
			must(e.Encode(value))
		}
	}
	return out.Bytes(), nil
}

// initialSize is enough for what most evaluations add to their configuration.
const initialSize = 7 << 10

// encoder writes to a buffer, so the methods of msgpack.Encoder return no errors.
type encoder struct{ *msgpack.Encoder }

// write encodes a value of the kinds that Of converts.
func (e encoder) write(t tftypes.Type, v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		must(e.EncodeNil())
	case reflect.Pointer, reflect.Interface:
		e.write(t, v.Elem())
	case reflect.Struct:
		if value, ok := v.Interface().(tftypes.Value); ok {
			e.writeValue(t, value)
			return
		}
		e.writeObject(t, v)
	case reflect.Map:
		if t, ok := t.(tftypes.Map); ok {
			e.writeMap(t.ElementType, v)
			return
		}
		e.writeObject(t, v)
	case reflect.Slice:
		e.writeList(t, v)
	case reflect.String:
		must(e.EncodeString(v.String()))
	case reflect.Bool:
		must(e.EncodeBool(v.Bool()))
	case reflect.Int, reflect.Int64:
		must(e.EncodeInt(v.Int()))
	default:
		e.writeValue(t, tftypes.NewValue(t, v.Interface()))
	}
}

func (e encoder) writeValue(t tftypes.Type, value tftypes.Value) {
	encoded, err := tfprotov6.NewDynamicValue(t, value)
	must(err)
	must(e.Encode(msgpack.RawMessage(encoded.MsgPack)))
}

// writeObject encodes an object. Attributes without a field are null.
func (e encoder) writeObject(t tftypes.Type, v reflect.Value) {
	attributes := ObjectType(t).AttributeTypes
	must(e.EncodeMapLen(len(attributes)))
	missing := len(attributes)
	for name, field := range namedFields(v) {
		attribute := attributes[name]
		if attribute == nil {
			panic(fmt.Sprintf("tfvalue: the schema has no attribute %q", name))
		}
		must(e.EncodeString(name))
		e.write(attribute, field)
		missing--
	}
	if missing == 0 {
		return
	}
	fields := maps.Collect(namedFields(v))
	for name := range attributes {
		if _, known := fields[name]; !known {
			must(e.EncodeString(name))
			must(e.EncodeNil())
		}
	}
}

func (e encoder) writeMap(element tftypes.Type, v reflect.Value) {
	if v.IsNil() {
		must(e.EncodeNil())
		return
	}
	must(e.EncodeMapLen(v.Len()))
	for name, field := range v.Seq2() {
		must(e.EncodeString(name.String()))
		e.write(element, field)
	}
}

func (e encoder) writeList(t tftypes.Type, v reflect.Value) {
	if v.IsNil() {
		must(e.EncodeNil())
		return
	}
	list, _ := t.(tftypes.List) // the schema has no sets and no tuples
	must(e.EncodeArrayLen(v.Len()))
	for i := range v.Len() {
		e.write(list.ElementType, v.Index(i))
	}
}
