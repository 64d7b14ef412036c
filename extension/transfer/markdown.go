package transfer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// readMarkdown reads the texts of a Markdown file, which begins after skipped lines.
func (e *elements) readMarkdown(r io.Reader, skipped int) error {
	content, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return err
	}
	if len(content) > maxDocument {
		return &ImportError{Where: "end", Err: &schema.InvalidError{Field: "input", Reason: "is larger than 4 MiB; split it"}}
	}
	for i, line := range bytes.Split(content, []byte("\n")) {
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return &ImportError{Where: fmt.Sprintf("line %d", skipped+i+1), Err: &schema.InvalidError{Field: "input", Reason: "is not UTF-8 text; save it as UTF-8"}}
		}
	}
	seen := make(map[string]int)
	for _, s := range text.Sections(string(content), partSize) {
		said := s.Text
		if len(s.Headings) > 0 {
			said = strings.Join(s.Headings, " › ") + "\n\n" + s.Text
		}
		where := fmt.Sprintf("line %d", skipped+s.Line)
		kept, err := e.keep(text.Clean(said))
		if err != nil {
			return &ImportError{Where: where, Err: err}
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(e.unnamed), e.unnamed, kept))
		id := "note-" + hex.EncodeToString(sum[:16])
		if seen[id]++; seen[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, seen[id]-1)
		}
		if err := e.turn(where, importedTurn{id: id, session: e.unnamed, role: "user", text: said}); err != nil {
			return err
		}
	}
	return nil
}
