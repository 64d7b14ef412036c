package erase

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// sweep goes through the other tables for rows that name a target or reveal one by a
// word: injections, proposals, gaps, the ledger of consolidations, the audit,
// failures.
func (b *batch) sweep(ctx context.Context) error {
	for _, step := range []func(context.Context) error{b.injections, b.proposals, b.gaps, b.ledger, b.audits, b.faults} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// record is a row with the texts to check.
type record struct {
	id    int64
	uid   string
	texts [3]string
}

func (b *batch) records(ctx context.Context, query string, args ...any) (all []record, err error) {
	return schema.List(ctx, b.tx.Query, func(r *record) []any {
		return []any{&r.id, &r.uid, &r.texts[0], &r.texts[1], &r.texts[2]}
	}, query, args...)
}

// names reports whether a JSON text holds the id of a target.
func (b *batch) names(s string) bool {
	return slices.ContainsFunc(b.uids(), func(uid string) bool { return strings.Contains(s, uid) })
}

// reveals reports whether any of the texts names a target or reveals one by a word.
func (b *batch) reveals(ctx context.Context, texts ...string) (bool, error) {
	for _, s := range texts {
		if b.names(s) {
			return true, nil
		}
		if reveals, err := b.words.reveals(ctx, s); reveals || err != nil {
			return reveals, err
		}
	}
	return false, nil
}

// injections deletes the records of what models were shown, in the journal and in
// its table.
func (b *batch) injections(ctx context.Context) error {
	shown, err := b.records(ctx, "SELECT seq, '', payload, '', '' FROM events WHERE user_id = ? AND topic IN ('memory.recalled', 'memory.consolidated')", b.userID)
	if err != nil {
		return err
	}
	var seqs []int64
	for _, r := range shown {
		reveals, err := b.reveals(ctx, r.texts[0])
		if err != nil {
			return err
		}
		if reveals {
			seqs = append(seqs, r.id)
		}
	}
	return b.deleteEvents(ctx, seqs)
}

func (b *batch) proposals(ctx context.Context) error {
	// The description of a block is the host's: it holds nothing of the conversation.
	return b.rewriteRevealing(ctx, func(r record) error { return b.dropProposal(ctx, r.id, r.uid) },
		`SELECT id, uid, CASE WHEN json_valid(payload) THEN json_remove(payload, '$.spec') ELSE payload END, reason, ''
		FROM proposals WHERE user_id = ?`, b.userID)
}

// dropProposals deletes the proposals about an entity.
func (b *batch) dropProposals(ctx context.Context, entityUID string) error {
	about, err := b.records(ctx, "SELECT id, uid, '', '', '' FROM proposals WHERE user_id = ? AND instr(payload, ?) > 0", b.userID, entityUID)
	if err != nil {
		return err
	}
	for _, r := range about {
		if err := b.dropProposal(ctx, r.id, r.uid); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) dropProposal(ctx context.Context, id int64, uid string) error {
	if _, err := b.remove(ctx, "proposals", "DELETE FROM proposals WHERE id = ?", id); err != nil {
		return err
	}
	return b.addTombstones(ctx, []string{schema.Tombstone(b.owner, schema.TombstoneProposal, uid)})
}

// gaps removes the targets from what consolidations skipped, to retry.
func (b *batch) gaps(ctx context.Context) error {
	all, err := b.records(ctx, "SELECT id, uid, memories, last_error, '' FROM gaps WHERE user_id = ?", b.userID)
	if err != nil {
		return err
	}
	for _, r := range all {
		var uids []string
		if err := schema.DecodeStored("the list of messages of gap "+r.uid, r.texts[0], &uids); err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(uids), b.names)
		reveals, err := b.words.reveals(ctx, r.texts[1])
		switch {
		case err != nil:
			return err
		case len(left) == 0 && len(uids) > 0:
			if _, err := b.remove(ctx, "gaps", "DELETE FROM gaps WHERE id = ?", r.id); err != nil {
				return err
			}
			err = b.addTombstones(ctx, []string{schema.Tombstone(b.owner, schema.TombstoneGap, r.uid)})
		case reveals || len(left) < len(uids):
			if reveals {
				r.texts[1] = erasedText
			}
			err = b.rewrite(ctx, "gaps", "UPDATE gaps SET memories = ?, last_error = ? WHERE id = ?", schema.JSONList(left), r.texts[1], r.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// erasedText replaces a text that revealed something.
const erasedText = "(erased)"

// ledger cleans the reports of consolidations.
func (b *batch) ledger(ctx context.Context) error {
	all, err := b.records(ctx, "SELECT id, uid, stages, error, '' FROM runs WHERE user_id = ?", b.userID)
	if err != nil {
		return err
	}
	for _, r := range all {
		stages, changed, err := b.cleanJSON(ctx, r.texts[0])
		if err != nil {
			return err
		}
		if reveals, err := b.words.reveals(ctx, r.texts[1]); err != nil {
			return err
		} else if reveals {
			r.texts[1], changed = erasedText, true
		}
		if changed {
			if err := b.rewrite(ctx, "runs", "UPDATE runs SET stages = ?, error = ? WHERE id = ?", stages, r.texts[1], r.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// cleanJSON replaces the texts in a JSON value that reveal a target, and leaves all
// others as they are.
func (b *batch) cleanJSON(ctx context.Context, encoded string) (cleaned string, changed bool, err error) {
	if reveals, err := b.reveals(ctx, encoded); err != nil || !reveals {
		return encoded, false, err
	}
	dec := json.NewDecoder(strings.NewReader(encoded))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return "[]", true, nil // what cannot be read cannot be kept
	}
	value, err = b.clean(ctx, value)
	if err != nil {
		return "", false, err
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "", false, err
	}
	return strings.TrimSuffix(out.String(), "\n"), true, nil
}

func (b *batch) clean(ctx context.Context, value any) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		reveals, err := b.reveals(ctx, v)
		if reveals {
			v = erasedText
		}
		return v, err
	case []any:
		for i := range v {
			if v[i], err = b.clean(ctx, v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = b.clean(ctx, v[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// audits clears the entries about targets or with a text of theirs. That there was a
// change, its time and its actor stay.
func (b *batch) audits(ctx context.Context) error {
	if err := b.rewrite(ctx, "ops", `UPDATE ops SET before = '', after = '' WHERE record = 'memories' AND record_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
		AND (before <> '' OR after <> '')`, schema.JSONList(b.order)); err != nil {
		return err
	}
	return b.rewriteRevealing(ctx, func(r record) error {
		return b.rewrite(ctx, "ops", "UPDATE ops SET before = '', after = '' WHERE id = ?", r.id)
	}, `SELECT id, operation, before, after, '' FROM ops WHERE user_id = ? AND before || after <> '' AND operation <> 'watermark'
		AND record NOT IN ('erasures')`, b.userID)
}

// faults clears the errors that background work and consumers recorded.
func (b *batch) faults(ctx context.Context) error {
	if err := b.rewriteRevealing(ctx, func(r record) error {
		return b.rewrite(ctx, "failures", "UPDATE failures SET error = ? WHERE user_id = ? AND source = ?", erasedText, r.id, r.uid)
	}, "SELECT user_id, source, error, '', '' FROM failures WHERE user_id IN (0, ?)", b.userID); err != nil {
		return err
	}
	return b.rewriteRevealing(ctx, func(r record) error {
		return b.rewrite(ctx, "deliveries", "UPDATE deliveries SET last_error = ? WHERE seq = ? AND consumer = ?", erasedText, r.id, r.uid)
	}, `SELECT d.seq, d.consumer, d.last_error, '', '' FROM deliveries d JOIN events e ON e.seq = d.seq
		WHERE e.user_id = ? AND d.last_error <> ''`, b.userID)
}

// rewriteRevealing calls rewrite for each record of a query with a text that reveals a
// target.
func (b *batch) rewriteRevealing(ctx context.Context, rewrite func(r record) error, query string, args ...any) error {
	all, err := b.records(ctx, query, args...)
	if err != nil {
		return err
	}
	for _, r := range all {
		reveals, err := b.reveals(ctx, r.texts[:]...)
		if err != nil {
			return err
		}
		if reveals {
			if err := rewrite(r); err != nil {
				return err
			}
		}
	}
	return nil
}
