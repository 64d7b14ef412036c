package erase

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// An erasure ends with a sweep through the tables with texts about memories, which are
// as long as the user's history. It goes through them once, in transactions of its own.
// The words and ids to look for are kept in the table erasing until then, where a later
// process finds them: no row is left that holds them. Rows of erasing about a sweep:
const (
	wordRecord  = "word:"    // and a term that the text index held
	labelRecord = "label:"   // and a term that it did not hold
	uidRecord   = "uid:"     // and the public id of a memory
	sweptRecord = "swept:"   // and the erasure: how far it is, the last row times sweepSteps and the step
	emptyRecord = "emptied:" // and the erasure: a conversation that lost a message
)

const (
	sweepSteps   = 16  // more than there are steps
	sweepRows    = 256 // read at a time
	eventsAtOnce = 8 * sweepRows
)

// remember keeps what the sweep needs to know of the targets.
func (b *batch) remember(ctx context.Context) error {
	var records []string
	for term, in := range b.words.said {
		if in.indexed {
			records = append(records, wordRecord+term)
		} else {
			records = append(records, labelRecord+term)
		}
	}
	for uid := range b.words.uids {
		records = append(records, uidRecord+uid)
	}
	slices.Sort(records)
	if _, err := b.affected(ctx, "INSERT INTO erasing (record, id, erasure_id) SELECT value, ?1, ?1 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING",
		b.id, schema.JSONList(records)); err != nil {
		return err
	}
	sessions := make(map[int64]bool)
	for _, d := range b.targets {
		sessions[d.session] = true // 0 is none
	}
	_, err := b.affected(ctx, "INSERT INTO erasing (record, id, erasure_id) SELECT ?3, CAST(value AS BIGINT), ?1 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING",
		b.id, schema.JSONList(slices.Sorted(maps.Keys(sessions))), fmt.Sprint(emptyRecord, b.id))
	return err
}

// sweeper returns a batch without targets that looks for all that the erasure deleted.
func (e *eraser) sweeper(ctx context.Context) (*batch, error) {
	if b := e.sweeping; b != nil {
		return b, b.words.refresh(ctx)
	}
	b := newBatch(e)
	records, err := schema.Column[string](ctx, e.tx.Query, "SELECT record FROM erasing WHERE erasure_id = ? AND id = erasure_id", e.id)
	for _, record := range records {
		kind, what, _ := strings.Cut(record, ":")
		switch kind + ":" {
		case wordRecord:
			b.words.said[what] = standing{claimed: true, indexed: true}
		case labelRecord:
			b.words.said[what] = standing{claimed: true, indexed: b.words.said[what].indexed}
		case uidRecord:
			b.words.addUID(what)
		}
	}
	e.sweeping = b
	return b, err
}

// sweep goes on through the rows of other tables that name a target or reveal one by a
// word: injections, proposals, gaps, the ledger of consolidations, the audit, failures,
// core memory and entities. It lets other writers in; until it ends, the user's runs
// cannot be undone.
func (e *eraser) sweep(ctx context.Context) (more bool, err error) {
	began := time.Now()
	b, err := e.sweeper(ctx)
	if err != nil {
		return false, err
	}
	steps := []func(context.Context, int64) (int64, error){b.injections, b.proposals, b.gaps, b.ledger, b.audits, b.faults, b.blocks, b.entities}
	if len(b.words.said)+len(b.words.uids) == 0 {
		steps = nil
	}
	var swept int64
	if err := e.tx.Row(ctx, "SELECT coalesce(max(id), 0) FROM erasing WHERE record = ?", []any{fmt.Sprint(sweptRecord, e.id)}, &swept); err != nil {
		return false, err
	}
	for step, after := swept%sweepSteps, swept/sweepSteps; step < int64(len(steps)); {
		last, err := steps[step](ctx, after)
		if err != nil {
			return false, err
		}
		if last == after {
			step, last = step+1, 0
		}
		if after = last; !e.tx.GoesOn(began) {
			return true, e.storeSwept(ctx, step, after)
		}
	}
	if err := e.eraseEmptySessions(ctx); err != nil {
		return false, err
	}
	_, err = e.affected(ctx, "DELETE FROM erasing WHERE erasure_id = ?", e.id)
	return false, err
}

// storeSwept stores how far the sweep is: the step, and the last row that it looked at.
func (e *eraser) storeSwept(ctx context.Context, step, after int64) error {
	record := fmt.Sprint(sweptRecord, e.id)
	if _, err := e.affected(ctx, "DELETE FROM erasing WHERE record = ?", record); err != nil {
		return err
	}
	_, err := e.affected(ctx, "INSERT INTO erasing (record, id, erasure_id) VALUES (?, ?, ?)", record, after*sweepSteps+step, e.id)
	return err
}

// record is a row with the texts to check: two that are JSON, or "", and a plain one.
type record struct {
	id   int64
	uid  string
	json [2]string
	text string
}

func (b *batch) records(ctx context.Context, query string, args ...any) (all []record, err error) {
	return schema.List(ctx, b.tx.Query, func(r *record) []any {
		return []any{&r.id, &r.uid, &r.json[0], &r.json[1], &r.text}
	}, query, args...)
}

// page calls each for the next rows of a query of the user's rows after one, in order of
// their id, and returns the last one's; after if there is none.
func (b *batch) page(ctx context.Context, after int64, each func(context.Context, record) error, query string) (last int64, err error) {
	all, err := b.records(ctx, query+" ORDER BY id LIMIT ?3", b.userID, after, sweepRows)
	for _, r := range all {
		if err == nil {
			err = each(ctx, r)
		}
		after = r.id
	}
	return after, err
}

// ifRevealing calls do for a record that reveals a target.
func (b *batch) ifRevealing(do func(context.Context, record) error) func(context.Context, record) error {
	return func(ctx context.Context, r record) error {
		reveals, err := b.reveals(ctx, r.text)
		for _, encoded := range r.json {
			if !reveals && err == nil {
				_, reveals, err = b.cleanJSON(ctx, encoded)
			}
		}
		if err != nil || !reveals {
			return err
		}
		return do(ctx, r)
	}
}

// reveals reports whether a text names a target or reveals one by a word.
func (b *batch) reveals(ctx context.Context, s string) (bool, error) {
	if b.words.names(s) {
		return true, nil
	}
	return b.words.reveals(ctx, s)
}

// injections deletes the records of what models were shown, in the journal and in
// its table. The journal has no order by user: it is read in order of its rows.
func (b *batch) injections(ctx context.Context, after int64) (last int64, err error) {
	if err := b.tx.Row(ctx, "SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT ?) AS next", []any{after, eventsAtOnce}, &last); err != nil {
		return 0, err
	}
	shown, err := b.records(ctx, `SELECT seq, payload, '', '', CASE WHEN json_valid(payload)
			THEN coalesce(json_extract(payload, '$.query'), '') || ' ' || coalesce(json_extract(payload, '$.error'), '') ELSE payload END
		FROM events WHERE +user_id = ? AND seq > ? AND seq <= ? AND topic IN ('memory.recalled', 'memory.consolidated')`, b.userID, after, last)
	if err != nil {
		return 0, err
	}
	var seqs []int64
	for _, r := range shown {
		reveals, err := b.reveals(ctx, r.text)
		if err != nil {
			return 0, err
		}
		if reveals || b.words.names(r.uid) {
			seqs = append(seqs, r.id)
		}
	}
	if len(seqs) > 0 {
		err = b.deleteEvents(ctx, seqs)
	}
	return max(last, after), err
}

func (b *batch) proposals(ctx context.Context, after int64) (int64, error) {
	return b.proposalsWhere(ctx, after, "")
}

func (b *batch) waiting(ctx context.Context, after int64) (int64, error) {
	return b.proposalsWhere(ctx, after, " AND state = 'pending'")
}

// proposalsWhere deletes the proposals that reveal a target. The description of a block is
// the host's, and the reasons of some kinds are ebb's: they hold nothing of the
// conversation. The conversation's name is the host's as long as the conversation stays.
func (b *batch) proposalsWhere(ctx context.Context, after int64, condition string) (int64, error) {
	return b.page(ctx, after, b.ifRevealing(func(ctx context.Context, r record) error { return b.dropProposal(ctx, r.id, r.uid) }),
		`SELECT id, uid, CASE WHEN json_valid(payload) THEN json_remove(payload, '$.spec') ELSE payload END, '',
			CASE WHEN kind IN ('correct', 'memory', '`+schema.KindProtect+`', 'reflection_request', 'reflection_grant', 'reflection') THEN '' ELSE reason END
			|| CASE WHEN json_valid(payload) THEN coalesce((SELECT ' ' || x.name FROM (SELECT json_extract(payload, '$.session') AS name) AS x
				WHERE NOT EXISTS (SELECT 1 FROM sessions s JOIN memories m ON m.session_id = s.id WHERE s.user_id = ?1 AND s.name = x.name)), '') ELSE '' END
		FROM proposals WHERE user_id = ?1 AND id > ?2`+condition)
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
func (b *batch) gaps(ctx context.Context, after int64) (int64, error) {
	return b.page(ctx, after, b.gap, "SELECT id, uid, memories, '', last_error FROM gaps WHERE user_id = ?1 AND id > ?2")
}

func (b *batch) gap(ctx context.Context, r record) error {
	var uids []string
	if err := schema.DecodeStored("the list of messages of gap "+r.uid, r.json[0], &uids); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(uids), b.words.names)
	reveals, err := b.words.reveals(ctx, r.text)
	switch {
	case err != nil:
		return err
	case len(left) == 0 && len(uids) > 0:
		if _, err := b.remove(ctx, "gaps", "DELETE FROM gaps WHERE id = ?", r.id); err != nil {
			return err
		}
		return b.addTombstones(ctx, []string{schema.Tombstone(b.owner, schema.TombstoneGap, r.uid)})
	case reveals:
		r.text = erasedText
	case len(left) == len(uids):
		return nil
	}
	return b.rewrite(ctx, "gaps", "UPDATE gaps SET memories = ?, last_error = ? WHERE id = ?", schema.JSONList(left), r.text, r.id)
}

// erasedText replaces a text that revealed something.
const erasedText = "(erased)"

// ledger cleans the reports of consolidations.
func (b *batch) ledger(ctx context.Context, after int64) (int64, error) {
	return b.page(ctx, after, func(ctx context.Context, r record) error {
		stages, changed, err := b.cleanJSON(ctx, r.json[0])
		if err != nil {
			return err
		}
		reveals, err := b.words.reveals(ctx, r.text)
		if reveals {
			r.text = erasedText
		}
		if err != nil || !changed && !reveals {
			return err
		}
		return b.rewrite(ctx, "runs", "UPDATE runs SET stages = ?, error = ? WHERE id = ?", stages, r.text, r.id)
	}, "SELECT id, uid, stages, '', error FROM runs WHERE user_id = ?1 AND id > ?2")
}

// cleanJSON replaces the texts in a record's JSON that reveal a target, and leaves all
// others as they are.
func (b *batch) cleanJSON(ctx context.Context, encoded string) (cleaned string, changed bool, err error) {
	if encoded == "" {
		return "", false, nil
	}
	value, err := decode(encoded)
	if err != nil {
		reveals, err := b.reveals(ctx, encoded)
		return "[]", reveals, err // what cannot be read cannot be kept
	}
	value, err = mapTexts(value, func(s string) (string, error) {
		reveals, err := b.reveals(ctx, s)
		if reveals {
			s, changed = erasedText, true
		}
		return s, err
	})
	if err != nil || !changed {
		return encoded, false, err
	}
	cleaned, err = encode(value)
	return cleaned, true, err
}

// ownFields are the fields of records whose values are words of ebb or of the host's
// settings: they hold nothing of a conversation.
var ownFields = []string{"agent", "at", "block", "cause", "channel", "kind", "name", "origin", "owner", "prompts", "session", "stage", "state", "status", "store", "type"}

// mapTexts replaces the texts in the JSON value of a record by what f makes of them. The
// names of fields are ebb's own, and so is what stands in ownFields.
func mapTexts(value any, f func(string) (string, error)) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			if v[i], err = mapTexts(v[i], f); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name, in := range v {
			if slices.Contains(ownFields, name) {
				continue
			}
			if encoded, ok := in.(string); ok && name == "attributes" {
				v[name], err = mapAttributes(encoded, f)
			} else {
				v[name], err = mapTexts(in, f)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// mapAttributes is mapTexts for the attributes of a memory, as the audit holds them.
func mapAttributes(encoded string, f func(string) (string, error)) (any, error) {
	var attributes map[string]string
	if json.Unmarshal([]byte(encoded), &attributes) != nil {
		return f(encoded)
	}
	var err error
	for name, value := range attributes {
		if !ownWords(name) && err == nil {
			attributes[name], err = f(value)
		}
	}
	if err != nil {
		return nil, err
	}
	return encode(attributes)
}

func decode(encoded string) (value any, err error) {
	dec := json.NewDecoder(strings.NewReader(encoded))
	dec.UseNumber()
	err = dec.Decode(&value)
	return value, err
}

func encode(value any) (string, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// clearAudit clears the entries about targets. That there was a change, its time and its
// actor stay.
func (b *batch) clearAudit(ctx context.Context) error {
	return b.rewrite(ctx, "ops", `UPDATE ops SET before = '', after = '' WHERE record = 'memories' AND record_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
		AND (before <> '' OR after <> '')`, schema.JSONList(b.order))
}

// audits clears the entries about others with a text of the targets.
func (b *batch) audits(ctx context.Context, after int64) (int64, error) {
	return b.page(ctx, after, b.ifRevealing(func(ctx context.Context, r record) error {
		return b.rewrite(ctx, "ops", "UPDATE ops SET before = '', after = '' WHERE id = ?", r.id)
	}), `SELECT id, operation, before, after, '' FROM ops WHERE user_id = ?1 AND id > ?2 AND before || after <> '' AND operation <> 'watermark'
		AND record NOT IN ('erasures')`)
}

// faults clears the errors that background work and consumers recorded.
func (b *batch) faults(ctx context.Context, after int64) (int64, error) {
	for _, of := range []struct{ table, query, rewrite string }{
		{"failures", "SELECT user_id, source, '', '', error FROM failures WHERE user_id IN (0, ?)", "UPDATE failures SET error = ? WHERE user_id = ? AND source = ?"},
		{"deliveries", `SELECT d.seq, d.consumer, '', '', d.last_error FROM deliveries d JOIN events e ON e.seq = d.seq
			WHERE e.user_id = ? AND d.last_error <> ''`, "UPDATE deliveries SET last_error = ? WHERE seq = ? AND consumer = ?"},
	} {
		all, err := b.records(ctx, of.query, b.userID)
		if err != nil {
			return 0, err
		}
		clear := b.ifRevealing(func(ctx context.Context, r record) error {
			return b.rewrite(ctx, of.table, of.rewrite, erasedText, r.id, r.uid)
		})
		for _, r := range all {
			if err := clear(ctx, r); err != nil {
				return 0, err
			}
		}
	}
	return after, nil
}
