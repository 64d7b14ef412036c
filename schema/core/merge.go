package core

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// merge combines what one writer made of base with what it has become since. A text
// that both have changed, to different ones, is a [schema.ErrConflict].
func merge(path string, base, mine, theirs any) (any, error) {
	b, m, t := encode("", base), encode("", mine), encode("", theirs)
	switch {
	case b == t || m == t:
		return mine, nil
	case b == m:
		return theirs, nil
	}
	switch theirs := theirs.(type) {
	case map[string]any:
		base, _ := base.(map[string]any)
		mine, ok := mine.(map[string]any)
		if !ok {
			return nil, changedSince(path) // one of the two removed it
		}
		merged := make(map[string]any)
		for _, name := range fieldsOf(base, mine, theirs) {
			v, err := merge(path+"."+name, base[name], mine[name], theirs[name])
			if err != nil {
				return nil, err
			}
			if v != nil {
				merged[name] = v
			}
		}
		return merged, nil
	case []any:
		base, _ := base.([]any)
		mine, _ := mine.([]any)
		if isRecords(base) || isRecords(mine) || isRecords(theirs) {
			return mergeRecords(path, base, mine, theirs)
		}
		return mergeLists(base, mine, theirs), nil
	case nil:
		if mine, ok := mine.([]any); ok {
			base, _ := base.([]any)
			return mergeLists(base, mine, nil), nil
		}
	}
	return nil, changedSince(path)
}

func changedSince(path string) error { return fmt.Errorf("%s was %w", path, schema.ErrConflict) }

func fieldsOf(objects ...map[string]any) []string {
	all := make(map[string]bool)
	for _, o := range objects {
		for name := range o {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func isRecords(list []any) bool { return len(list) > 0 && id(list[0]) != "" }

// mergeLists removes from theirs what mine removed from base, and inserts what mine
// added: before the entry that it precedes in mine, or else at the end.
func mergeLists(base, mine, theirs []any) []any {
	merged := slices.DeleteFunc(slices.Clone(theirs), func(item any) bool {
		return slices.Contains(base, item) && !slices.Contains(mine, item)
	})
	for i, item := range mine {
		if slices.Contains(base, item) || slices.Contains(merged, item) {
			continue
		}
		at := len(merged)
		for _, later := range mine[i+1:] {
			if there := slices.Index(merged, later); there >= 0 {
				at = there
				break
			}
		}
		merged = slices.Insert(merged, at, item)
	}
	return merged
}

func mergeRecords(path string, base, mine, theirs []any) ([]any, error) {
	find := func(list []any, key string) any {
		for _, r := range list {
			if id(r) == key {
				return r
			}
		}
		return nil
	}
	var merged []any
	add := func(key string) error {
		v, err := merge(path+"."+key, find(base, key), find(mine, key), find(theirs, key))
		if v != nil && err == nil {
			merged = append(merged, v)
		}
		return err
	}
	for _, r := range theirs {
		if err := add(id(r)); err != nil {
			return nil, err
		}
	}
	for _, r := range slices.Concat(base, mine) {
		if find(theirs, id(r)) == nil && find(merged, id(r)) == nil {
			if err := add(id(r)); err != nil {
				return nil, err
			}
		}
	}
	if merged == nil {
		merged = []any{}
	}
	return merged, nil
}
