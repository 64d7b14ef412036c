package transfer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

const (
	aTurn       = `{"id":"t1","session":"s1","time":"2026-01-02T03:04:05.678Z","speaker":"Ada","role":"user","text":"The kettle is blue."}` + "\n"
	unnamedTurn = `{"session":"s1","time":"2026-01-02T03:04:05.678Z","speaker":"Ada","role":"user","text":"The kettle is blue."}` + "\n"
)

// FuzzImport feeds the parsers. Messages that they return must be storable, and
// invalid input must give an error and not a panic.
func FuzzImport(f *testing.F) {
	f.Add([]byte(aTurn))
	f.Add([]byte(unnamedTurn + unnamedTurn))
	f.Add([]byte(`[{"create_time":1,"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hi",{}]}}}},"current_node":"a"}]`))
	f.Add([]byte(`{"ebb":{"export":1,"user":"ada","created_at":"2026-01-01T00:00:00Z"}}` + "\n" +
		`{"event":{"id":"e","topic":"user.message","origin":"import","trust":1,"payload":{"text":"x"},"occurred_at":"2026-01-01T00:00:00Z","recorded_at":"2026-01-01T00:00:00Z"}}` + "\n" + `{"end":{"records":1}}`))
	for _, seed := range []string{
		`[{"uuid":"c","chat_messages":[{"uuid":"m","sender":"human","created_at":"2026-01-05T09:12:02Z","content":[{"type":"text","text":"hi"}],"attachments":[{}]}]}]`,
		`{"results":[{"id":"m","memory":"hi","created_at":"2026-01-05T09:12:02Z","metadata":{"a":1}}],"relations":[{"source":"a","relationship":"b","target":"c"}]}`,
		`{"items":[{"text":"hi","date":"2026-01-05","fact_type":"world","tags":["x"]}],"total":1}`,
		`{"type":"entity","name":"A_B","entityType":"person","observations":["hi"]}` + "\n" + `{"type":"relation","from":"A","to":"B","relationType":"knows_it"}`,
		`{"role":"user","content":[{"type":"text","text":"hi"}]}`, `[{"messages":[{"role":"user","content":"hi"}]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Add([]byte("\xef\xbb\xbf\n\xff\xfe{}"))
	f.Add(history(f, `INTEGER`, `(1, 's', 'hi', 'human', '2026-01-05 09:12:02'), (2, 's', 'hello', 'ai', 'soon')`))
	f.Add(history(f, `INTEGER`, `(1, 's', 'hi', 'human', '2026-01-05 09:12:02')`)[:5000])
	f.Add(history(f, `TEXT`, `('my secret', 's', 'hi', 'human', '2026-01-05 09:12:02'), (NULL, x'ff00', x'fffe', 'ai', NULL)`))
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
		var place *ImportError
		var invalid *schema.InvalidError
		switch format {
		default:
			err = in.turns(t.Context(), format, &elements{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), report: &ImportReport{}, keep: asIs, visit: turn})
			if format == FormatLangchaingo && errors.As(err, &invalid) && !errors.As(err, &place) {
				return // about the file as a whole
			}
		case FormatExport:
			err = readExport(newLines(in.r, in.line, maxExportLine), func(*records.Line) error { return nil }, func(r importedRecord) error {
				if countRecords(&r.line) != 1 {
					t.Errorf("%s: not one record", r.where)
				}
				return nil
			})
		}
		if err != nil && !(errors.As(err, &place) && errors.As(err, &invalid) && place.Where != "") {
			t.Errorf("the error names no place or no field: %v", err)
		}
	})
}

// history is a SQLite file with a table as langchaingo writes it, but for the type of id.
func history(f *testing.F, id, rows string) []byte {
	f.Helper()
	path := filepath.Join(f.TempDir(), "history.db")
	db, err := driver.Open("file:" + path)
	require.NoError(f, err)
	_, err = db.ExecContext(f.Context(), "CREATE TABLE t (id "+id+", session TEXT, content TEXT, type TEXT, created TEXT); INSERT INTO t VALUES "+rows)
	require.NoError(f, err)
	require.NoError(f, db.Close())
	raw, err := os.ReadFile(path)
	require.NoError(f, err)
	return raw
}

// FuzzBank feeds the parser of banks. It keeps every word of the text.
func FuzzBank(f *testing.F) {
	f.Add("# Bank\n## Role State\n### PM\n- **Last:** merged\n- **Next**: x\n## Active Threads\n- **Title** (a → b): summary\n  more\n```\n# no heading\n```\n1) one\n---\n")
	f.Add("0000000000000000000000) one thing")
	f.Add("###### \u202e\n- \n-\n**\n** ** : \n(\n")
	f.Fuzz(func(t *testing.T, markdown string) {
		if !utf8.ValidString(markdown) {
			return // it is refused before
		}
		var held strings.Builder
		for _, s := range readBank(markdown) {
			s.role()
			s.under("lessons")
			held.WriteString(s.heading + "\n" + strings.Join(s.rest, "\n") + "\n")
			for _, item := range s.items {
				labelled(item)
				require.NotNil(t, threadOf(item)["summary"])
				held.WriteString(item + "\n")
			}
		}
		letters := func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}
		kept := strings.Map(letters, held.String())
		for word := range strings.FieldsSeq(text.Clean(markdown)) {
			if strings.Trim(word, "0123456789") == ")" || strings.Trim(word, "0123456789") == "." {
				continue // the number of an item
			}
			if whole := strings.Map(letters, word); len(whole) > 3 { // shorter ones may be a number or box of a list
				require.Contains(t, kept, whole)
			}
		}
	})
}

// asIs keeps texts as they are.
func asIs(text string) (string, error) { return text, nil }
