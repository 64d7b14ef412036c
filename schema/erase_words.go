package schema

import (
	"context"

	"github.com/ebbmem/ebb/internal/text"
)

// vocabulary is the words of what is being erased. A text that was made from it
// by a model, a summary, a proposal, a reason, gives itself away by a word that
// nothing else which was said holds.
type vocabulary struct {
	batch *batch
	said  map[string]bool // terms of the doomed
	only  map[string]bool // of these, whether nothing else says it; as far as was asked
}

func newVocabulary(b *batch) *vocabulary {
	return &vocabulary{batch: b, said: make(map[string]bool), only: make(map[string]bool)}
}

func (v *vocabulary) add(s string) {
	for _, term := range text.Terms(s) {
		v.said[term] = true
	}
}

// betrays reports whether s holds a word that was said in the doomed and in no
// message that stays. Function words tell nothing.
func (v *vocabulary) betrays(ctx context.Context, s string) (bool, error) {
	for _, term := range text.Terms(s) {
		if !v.said[term] || text.IsStopWord(term) {
			continue
		}
		only, err := v.onlySaidThere(ctx, term)
		if only || err != nil {
			return only, err
		}
	}
	return false, nil
}

func (v *vocabulary) onlySaidThere(ctx context.Context, term string) (bool, error) {
	if only, known := v.only[term]; known {
		return only, nil
	}
	first, last := chunkRange(v.batch.userID)
	rows, err := v.batch.tx.Query(ctx, `SELECT c.memory_id FROM chunks_fts f JOIN chunks c ON c.id = f.rowid JOIN memories m ON m.id = c.memory_id
		WHERE chunks_fts MATCH ? AND f.rowid BETWEEN ? AND ? AND m.kind = 'episode'
			AND NOT EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)`, `"`+term+`"`, first, last)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	only := true
	for only && rows.Next() {
		var memory int64
		if err := rows.Scan(&memory); err != nil {
			return false, err
		}
		only = v.batch.doomed[memory] != nil
	}
	v.only[term] = only
	return only, rows.Err()
}
