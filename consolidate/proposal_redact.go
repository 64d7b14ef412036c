package consolidate

import (
	"context"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

// redacted returns copies of proposals with every string rewritten, whatever field
// it is in. Public ids stay.
func redacted(ctx context.Context, proposals []Proposal, rewrite schema.Redact) ([]Proposal, error) {
	if rewrite == nil {
		return proposals, nil
	}
	proposals = slices.Clone(proposals) // those of the stage stay as they are
	return proposals, redactIn(ctx, reflect.ValueOf(&proposals).Elem(), "", rewrite)
}

// redactIn rewrites the strings in a value. name is its key in a map.
func redactIn(ctx context.Context, v reflect.Value, name string, rewrite schema.Redact) error {
	switch v.Kind() {
	case reflect.String:
		if uuid.Validate(v.String()) == nil {
			return nil
		}
		text, err := rewrite(ctx, name, v.String())
		v.SetString(text)
		return err
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := redactIn(ctx, v.Field(i), "", rewrite); err != nil {
					return err
				}
			}
		}
	case reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range own.Len() {
			if err := redactIn(ctx, own.Index(i), "", rewrite); err != nil {
				return err
			}
		}
	case reflect.Map:
		return redactMap(ctx, v, rewrite)
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		own := reflect.New(v.Elem().Type()).Elem()
		own.Set(v.Elem())
		err := redactIn(ctx, own, "", rewrite)
		v.Set(own)
		return err
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
		return redactIn(ctx, own.Elem(), "", rewrite)
	}
	return nil
}

func redactMap(ctx context.Context, v reflect.Value, rewrite schema.Redact) error {
	if v.IsNil() {
		return nil
	}
	own := reflect.MakeMapWithSize(v.Type(), v.Len())
	for _, k := range v.MapKeys() {
		key, value := reflect.New(k.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(k)
		value.Set(v.MapIndex(k))
		if err := redactIn(ctx, key, "", rewrite); err != nil {
			return err
		}
		if err := redactIn(ctx, value, k.String(), rewrite); err != nil {
			return err
		}
		own.SetMapIndex(key, value)
	}
	v.Set(own)
	return nil
}
