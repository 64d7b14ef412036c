package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// labelsOfExport are the fields of an export that identify something, or that
// the database holds to a list of words. All others are somebody's words: a
// new field is redacted, or named here.
var labelsOfExport = map[string]bool{
	"Tombstone.IDHash": true, "Run.UID": true, "Run.Cause": true, "Run.LocalDay": true, "Run.State": true,
	"Header.Tenant": true, "Header.User": true, "Header.TimeZone": true, "Header.NightsThrough": true, "Session.Name": true,
	"Entity.UID": true, "Entity.Type": true, "Merged.Entity": true, "Merged.Into": true, "Alias.Entity": true,
	"Event.ID": true, "Event.Topic": true, "Event.Agent": true, "Event.Session": true, "Event.Origin": true,
	"Event.Injection.Session": true, "Event.Injection.Channel": true,
	"Memory.UID": true, "Memory.Agent": true, "Memory.Kind": true, "Memory.Role": true, "Memory.ContentHash": true, "Memory.State": true,
	"Memory.Origin": true, "Memory.SessionName": true, "Memory.EventID": true, "Memory.Run": true, "Memory.Mentions.Entity": true,
	"Superseded.Memory": true, "Superseded.By": true, "Source.Memory": true, "Source.Source": true,
	"Link.From": true, "Link.To": true, "Link.Type": true, "Link.Run": true,
	"Block.Agent": true, "Block.Name": true, "Block.Kind": true, "BlockVersion.As": true, "BlockVersion.Agent": true, "BlockVersion.Name": true, "BlockVersion.Actor": true,
	"Proposal.ID": true, "Proposal.Run": true, "Proposal.Kind": true, "Proposal.State": true, "Proposal.DecidedBy": true,
	"Gap.ID": true, "Gap.Stage": true, "Gap.Memories": true,
	"Op.Record": true, "Op.ID": true, "Op.Run": true, "Op.Actor": true, "Op.Operation": true,
	"Document.Hash": true, "Watermark.Stage": true, "Watermark.Memory": true,
}

func TestEveryTextOfAnExportIsRedacted(t *testing.T) {
	const word = "zanzibar7"
	keep := keepLine(t.Context(), memory.NewRedactor(memory.RedactOptions{Hook: func(_ context.Context, _, text string) (string, error) {
		return strings.ReplaceAll(text, word, "[kept out]"), nil
	}}))
	lines := reflect.TypeFor[records.Line]()
	texts := 0
	for i := range lines.NumField() {
		var line records.Line
		record := reflect.New(lines.Field(i).Type.Elem())
		reflect.ValueOf(&line).Elem().Field(i).Set(record)
		fill(record.Elem(), word)
		require.NoError(t, keep(&line))
		walk(record.Elem(), lines.Field(i).Name, func(field, value string) {
			if !labelsOfExport[field] {
				texts++
				assert.NotContains(t, value, word, "%s is stored as it comes: redact it, or say that it is a label", field)
			} else {
				assert.Contains(t, value, word, "%s is rewritten, so it is no label", field)
			}
		})
	}
	assert.GreaterOrEqual(t, texts, 20)
}

// fill writes a word into every text of a record.
func fill(v reflect.Value, word string) {
	switch v.Interface().(type) {
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{"x":[%q]}`, word))))
		return
	case schema.Attributes:
		v.Set(reflect.ValueOf(schema.Attributes{"x": word}))
		return
	case schema.Time:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(word)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), word)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), word)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), word)
	}
}

// walk visits every text of a record under its path.
func walk(v reflect.Value, path string, visit func(field, value string)) {
	switch x := v.Interface().(type) {
	case json.RawMessage:
		visit(path, string(x))
		return
	case schema.Attributes:
		visit(path, x["x"])
		return
	}
	switch v.Kind() {
	case reflect.String:
		visit(path, v.String())
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case f.Anonymous && f.Name == "BaseModel":
			case f.Anonymous:
				walk(v.Field(i), path, visit)
			case f.IsExported():
				walk(v.Field(i), path+"."+f.Name, visit)
			}
		}
	case reflect.Pointer:
		walk(v.Elem(), path, visit)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), path, visit)
		}
	}
}
