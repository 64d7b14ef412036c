package transfer

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/ebbmem/ebb/schema"
)

const (
	aTurn       = `{"id":"t1","session":"s1","time":"2026-01-02T03:04:05.678Z","speaker":"Ada","role":"user","text":"The kettle is blue."}` + "\n"
	unnamedTurn = `{"session":"s1","time":"2026-01-02T03:04:05.678Z","speaker":"Ada","role":"user","text":"The kettle is blue."}` + "\n"
)

// FuzzImport feeds the parsers; what they pass on must be storable, and every
// fault must be told from a crash.
func FuzzImport(f *testing.F) {
	f.Add([]byte(aTurn))
	f.Add([]byte(unnamedTurn + unnamedTurn))
	f.Add([]byte(`[{"create_time":1,"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hi",{}]}}}},"current_node":"a"}]`))
	f.Add([]byte(`{"ebb":{"export":1,"user":"ada","created_at":"2026-01-01T00:00:00Z"}}` + "\n" +
		`{"event":{"id":"e","topic":"user.message","origin":"import","trust":1,"payload":{"text":"x"},"occurred_at":"2026-01-01T00:00:00Z","recorded_at":"2026-01-01T00:00:00Z"}}` + "\n" + `{"end":{"records":1}}`))
	f.Add([]byte("\xef\xbb\xbf\n\xff\xfe{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var format ImportFormat
		in := newInput(bytes.NewReader(data))
		if err := in.detect(&format); err != nil {
			return
		}
		turn := func(where string, turn importedTurn) error {
			switch {
			case where == "" || turn.id == "" || turn.at.IsZero():
				t.Errorf("a turn without place, id or time: %+v", turn)
			case schema.ValidContent("text", turn.text) != nil:
				t.Errorf("a text that cannot be stored: %q", turn.text)
			}
			return nil
		}
		var err error
		chat := &messages{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), skipped: func() {}, taken: func() {}}
		switch format {
		case FormatTurns:
			err = readTurns(newLines(in.r, in.line, maxTurnLine), parseTurn, chat, asIs, turn)
		case FormatStream:
			err = readTurns(newLines(in.r, in.line, maxTurnLine), parseStreamEntry, nil, asIs, turn)
		case FormatChatGPT:
			err = readChatGPT(in.r, chat, asIs, turn)
		case FormatExport:
			err = readExport(newLines(in.r, in.line, maxExportLine), func(*exportLine) error { return nil }, func(r importedRecord) error {
				if countRecords(&r.line) != 1 {
					t.Errorf("%s: not one record", r.where)
				}
				return nil
			})
		}
		var place *ImportError
		var invalid *schema.InvalidError
		if err != nil && !(errors.As(err, &place) && errors.As(err, &invalid) && place.Where != "") {
			t.Errorf("the error names no place or no field: %v", err)
		}
	})
}

// asIs keeps texts as they are.
func asIs(text string) (string, error) { return text, nil }
