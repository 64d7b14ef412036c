package schema

import (
	"context"

	"github.com/ebbmem/ebb/internal/text"
)

// vocabulary is the words of what is being erased. A text that was made from it
// by a model, a summary, a proposal, a reason, gives itself away by a word that
// nothing else which was said or claimed holds.
type vocabulary struct {
	batch *batch
	said  map[string]bool // terms of the doomed → whether a message or a claim among them holds it
	only  map[string]bool // of these, whether nothing else says it; as far as was asked
}

func newVocabulary(b *batch) *vocabulary {
	return &vocabulary{batch: b, said: make(map[string]bool), only: make(map[string]bool)}
}

// add takes in a text: one that was said or claimed, or a conclusion.
func (v *vocabulary) add(s string, claimed bool) {
	for _, term := range text.Terms(s) {
		v.said[term] = v.said[term] || claimed
	}
}

// askAgain forgets what else holds a word: more of it is doomed by now.
func (v *vocabulary) askAgain() { clear(v.only) }

// betrays reports whether s holds a word of the doomed that no message and no
// claim holds which stays. Function words tell nothing.
func (v *vocabulary) betrays(ctx context.Context, s string) (bool, error) {
	return v.tells(ctx, s, func(_, known bool) bool { return known })
}

// betraysClaim is betrays for conclusions: what they have in common with other
// conclusions are the model's own words.
func (v *vocabulary) betraysClaim(ctx context.Context, s string) (bool, error) {
	return v.tells(ctx, s, func(claimed, _ bool) bool { return claimed })
}

func (v *vocabulary) tells(ctx context.Context, s string, counts func(claimed, known bool) bool) (bool, error) {
	for _, term := range text.Terms(s) {
		if claimed, known := v.said[term]; !counts(claimed, known) || text.IsStopWord(term) {
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
	if err := v.batch.tx.db.index(); err != nil {
		return false, err
	}
	first, last := chunkRange(v.batch.userID)
	rows, err := v.batch.tx.Query(ctx, `SELECT c.memory_id FROM chunks_fts f JOIN chunks c ON c.id = f.rowid JOIN memories m ON m.id = c.memory_id
		WHERE chunks_fts MATCH ? AND f.rowid BETWEEN ? AND ? AND m.kind <> 'reflection'
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
