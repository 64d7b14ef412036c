package erase

import (
	"context"

	"github.com/ebbmem/ebb/internal/text"
)

// vocabulary holds the words of what is being erased. A text that a model made from
// it, such as a summary, a proposal or a reason, reveals it by a word that no
// remaining message or claim holds.
type vocabulary struct {
	batch *batch
	said  map[string]bool // terms of the targets → whether a message or a claim among them holds it
	only  map[string]bool // cache: whether no other memory of the user holds the term
}

func newVocabulary(b *batch) *vocabulary {
	return &vocabulary{batch: b, said: make(map[string]bool), only: make(map[string]bool)}
}

// add adds the terms of a text. claimed is false for a conclusion.
func (v *vocabulary) add(s string, claimed bool) {
	for _, term := range text.Terms(s) {
		v.said[term] = v.said[term] || claimed
	}
}

// reset clears the cache, after more targets were added.
func (v *vocabulary) reset() { clear(v.only) }

// reveals reports whether s holds a term of the targets that no remaining message or
// claim holds. Function words do not count.
func (v *vocabulary) reveals(ctx context.Context, s string) (bool, error) {
	return v.holdsTermOf(ctx, s, func(_, known bool) bool { return known })
}

// revealsClaim is reveals for conclusions: terms that they share with other
// conclusions are the model's own.
func (v *vocabulary) revealsClaim(ctx context.Context, s string) (bool, error) {
	return v.holdsTermOf(ctx, s, func(claimed, _ bool) bool { return claimed })
}

func (v *vocabulary) holdsTermOf(ctx context.Context, s string, counts func(claimed, known bool) bool) (bool, error) {
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
	if err := v.batch.tx.IndexText(); err != nil {
		return false, err
	}
	rows, err := v.batch.tx.Mentioning(ctx, v.batch.userID, term)
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
		only = v.batch.targets[memory] != nil
	}
	v.only[term] = only
	return only, rows.Err()
}
