package undo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Check reports whether an audit row has what reversing it reads, in the types that
// the columns take: [schema.ErrCorrupt] if it does not. [Run] reverses no row that
// Check refuses. A row that was cleared by an erasure, or of a change that is never
// reversed, needs to be JSON only.
func Check(op *schema.Op) error {
	before, err := decode(op.Before)
	if err != nil {
		return damagedAudit("before", err)
	}
	after, err := decode(op.After)
	if err != nil {
		return damagedAudit("after", err)
	}
	f := forms[op.Operation]
	switch {
	case before == nil && after == nil:
		return nil
	case op.Operation == schema.OpGap && after == nil:
		f.before, f.after = closedGap, nil
	case op.Operation == schema.OpGap && before == nil:
		f.before = nil
	case f.before == nil && f.after == nil && op.Record == "memories" && before != nil && after != nil:
		f.before = make(form, len(before))
		for column := range before { // of any other column the change is kept
			if is, ok := memoryColumns[column]; ok {
				f.before[column] = is
			}
		}
		f.after = f.before
	}
	if err := f.before.check(before); err != nil {
		return damagedAudit("before", err)
	}
	if err := f.after.check(after); err != nil {
		return damagedAudit("after", err)
	}
	return nil
}

func damagedAudit(column string, err error) error {
	return fmt.Errorf("%w: what the audit has as %s %w", schema.ErrCorrupt, column, err)
}

// fault says what is wrong, without the value.
type fault string

func (f fault) Error() string { return string(f) }

// decode reads one side of an audit row; nil for none.
func decode(side string) (values map[string]json.RawMessage, err error) {
	if side == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(side), &values); err != nil {
		return nil, fault(strictjson.Fault(err))
	}
	if values == nil {
		return nil, fault("is null")
	}
	return values, nil
}

// form is what one side of an audit row must hold, by name.
type form map[string]is

func (f form) check(values map[string]json.RawMessage) error {
	for name, is := range f {
		if v, ok := values[name]; !ok || !is(v) {
			return fault("lacks " + name + ", or has it in a form that it never had")
		}
	}
	return nil
}

// is reports whether a value is one that a column takes.
type is func(value json.RawMessage) bool

func quoted(v json.RawMessage) bool { return v[0] == '"' }

func whole(v json.RawMessage) bool {
	_, err := strconv.ParseInt(string(v), 10, 64)
	return err == nil
}

func number(v json.RawMessage) bool {
	_, err := strconv.ParseFloat(string(v), 64)
	return err == nil
}

// within takes numbers between two, these included.
func within(least, most float64) is {
	return func(v json.RawMessage) bool {
		n, err := strconv.ParseFloat(string(v), 64)
		return err == nil && n >= least && n <= most
	}
}

func orNull(is is) is {
	return func(v json.RawMessage) bool { return string(v) == "null" || is(v) }
}

// encoded takes texts that hold JSON of a type.
func encoded[T any](v json.RawMessage) bool {
	var in string
	return json.Unmarshal(v, &in) == nil && json.Unmarshal([]byte(in), new(T)) == nil
}

// valid takes texts that a column of names takes.
func valid[T ~string](take func(T) error) is {
	return func(v json.RawMessage) bool {
		var name T
		return json.Unmarshal(v, &name) == nil && take(name) == nil
	}
}

var (
	share   = within(0, 1)
	mention = form{"entity": quoted, "surface": quoted, "confidence": share}
	counted = form{"attempts": whole}

	// closedGap is the row that a closed gap had.
	closedGap = form{"uid": quoted, "stage": quoted, "memories": encoded[[]string], "attempts": whole, "last_error": quoted, "created_at": whole}
)

// forms are what reversing an operation reads. Operations that are not listed change
// columns of a memory, or are never reversed.
var forms = map[string]struct{ before, after form }{
	schema.OpSource:     {nil, form{"source": quoted}},
	schema.OpLink:       {nil, form{"to": quoted, "type": quoted}},
	schema.OpUnlink:     {form{"to": quoted, "type": quoted, "confidence": share, "created_at": whole, "run": quoted}, nil},
	schema.OpMention:    {nil, mention},
	schema.OpUnmention:  {mention, nil},
	schema.OpMerge:      {nil, form{"into": quoted}},
	schema.OpSummary:    {form{"summary": quoted}, form{"summary": quoted}},
	schema.OpWatermark:  {form{"name": quoted, "through": quoted}, form{"name": quoted, "through": quoted}},
	schema.OpImportance: {form{"spent": number}, nil},
	schema.OpReflected:  {form{"cycle": whole, "at": orNull(whole)}, form{"at": whole}},
	schema.OpGap:        {form{"attempts": whole, "last_error": quoted}, counted},
	core.OpBlock:        {nil, form{"version": whole}},
}

// memoryColumns are the columns that a run may change and that undoing may set, with
// what they take.
var memoryColumns = map[string]is{
	"state": valid(func(s schema.State) error {
		if !slices.Contains(schema.States, s) {
			return schema.ErrCorrupt
		}
		return nil
	}),
	"valid_from": whole, "valid_until": orNull(whole), "expired_at": orNull(whole), "superseded_by": orNull(whole),
	"confidence": share, "importance": share, "access_count": whole, "last_accessed": orNull(whole),
	"decay_rate": within(0, 1e308), "stability": within(1e-9, 1e308), "utility": number, "protected": whole, "pinned": whole,
	"origin": valid(schema.Origin.Validate), "trust": within(0, 4),
	"subject": orNull(quoted), "predicate": orNull(quoted), "object": orNull(quoted),
	"tags": encoded[schema.Strings], "attributes": encoded[schema.Attributes],
}
