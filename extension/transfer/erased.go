package transfer

import (
	"context"
	"strconv"

	"github.com/ebbmem/ebb/schema"
)

// An export is a copy that an erasure did not reach. What was erased here does
// not come back from it: not by its id, and not in what was made of it.

// passed is what an import of an export passes over, over all its batches.
type passed struct {
	resurrect bool

	whole    bool            // the export is of a user who was erased
	judged   bool            // whether stale is known
	stale    bool            // something was erased here after the export was written
	listed   int64           // tombstones that the export brings itself
	memories map[string]bool // that were passed over, by public id
	entities map[string]bool // that are new here
	orphans  map[string]bool // that are new here and rest on what was passed over
	events   map[string]bool // of memories that were passed over, by id
}

func newPassed(resurrect bool) *passed {
	return &passed{resurrect: resurrect, memories: make(map[string]bool), entities: make(map[string]bool), orphans: make(map[string]bool), events: make(map[string]bool)}
}

// passOver reports whether a line must not come back.
func (w *restoring) passOver(ctx context.Context, l *exportLine) (bool, error) {
	p := w.passed
	if p.resurrect {
		return false, w.lift(ctx, l)
	}
	if l.Header != nil {
		erased, err := w.tx.Erased(ctx, w.scope, schema.TombstoneUser, strconv.FormatInt(l.Header.CreatedAt.UnixMilli(), 10))
		p.whole = erased
		return erased, err
	}
	if p.whole {
		return true, nil
	}
	if l.Tombstone != nil {
		p.listed++
		return false, nil
	}
	if err := w.judge(ctx); err != nil {
		return false, err
	}
	if p.stale {
		w.withoutLedger(ctx, l)
	}
	switch {
	case l.Event != nil:
		return w.erased(ctx, schema.TombstoneEvent, l.Event.ID)
	case l.Entity != nil:
		return w.erased(ctx, schema.TombstoneEntity, l.Entity.UID)
	case l.Proposal != nil:
		return w.erased(ctx, schema.TombstoneProposal, l.Proposal.ID)
	case l.Memory != nil:
		return w.passMemory(ctx, l.Memory)
	case l.Superseded != nil:
		return w.eitherPassed(ctx, l.Superseded.Memory, l.Superseded.By)
	case l.Link != nil:
		return w.eitherPassed(ctx, l.Link.From, l.Link.To)
	case l.Confirmation != nil:
		return w.eitherPassed(ctx, l.Confirmation.Memory, "")
	case l.Source != nil:
		gone, err := w.eitherPassed(ctx, l.Source.Source, l.Source.Memory)
		if gone {
			p.orphans[l.Source.Memory] = true
		}
		return gone, err
	case l.Alias != nil: // of those that were here before, names were erased too
		return p.stale && !p.entities[l.Alias.Entity], nil
	case l.Merged != nil:
		return p.stale && !p.entities[l.Merged.Entity], nil
	}
	// What speaks of the erased without naming it: sessions' names, ledgers, the
	// audit, blocks.
	return p.stale, nil
}

// judge finds out whether something was erased here that the export does not
// know of.
func (w *restoring) judge(ctx context.Context) error {
	if w.passed.judged {
		return nil
	}
	var here int64
	if err := w.tx.Row(ctx, "SELECT count(*) FROM tombstones WHERE user_id = ?", []any{w.userID}, &here); err != nil {
		return err
	}
	w.passed.judged, w.passed.stale = true, here > w.passed.listed
	return nil
}

func (w *restoring) erased(ctx context.Context, kind schema.TombstoneKind, id string) (bool, error) {
	return w.tx.Erased(ctx, w.scope, kind, id)
}

func (w *restoring) passMemory(ctx context.Context, m *memoryRecord) (gone bool, err error) {
	if m.EventID != "" {
		gone, err = w.erased(ctx, schema.TombstoneEvent, m.EventID)
	}
	if !gone && err == nil {
		gone, err = w.erased(ctx, schema.TombstoneMemory, m.UID)
	}
	if gone || err != nil {
		w.passed.memories[m.UID] = true
		if m.EventID != "" {
			w.passed.events[m.EventID] = true
		}
		return gone, err
	}
	if !w.passed.stale {
		return false, nil
	}
	mentions := m.Mentions[:0]
	for _, mention := range m.Mentions {
		gone, err := w.erased(ctx, schema.TombstoneEntity, mention.Entity)
		if err != nil {
			return false, err
		}
		if !gone {
			mentions = append(mentions, mention)
		}
	}
	m.Mentions = mentions
	return false, nil
}

// withoutLedger drops a line's run that is not here: ledgers are not taken.
func (w *restoring) withoutLedger(ctx context.Context, l *exportLine) {
	var run *string
	switch {
	case l.Memory != nil:
		run = &l.Memory.Run
	case l.Link != nil:
		run = &l.Link.Run
	case l.Proposal != nil:
		run = &l.Proposal.Run
	default:
		return
	}
	if _, err := w.row(ctx, "runs", *run); err != nil {
		*run = ""
	}
}

func (w *restoring) eitherPassed(ctx context.Context, a, b string) (bool, error) {
	for _, uid := range [...]string{a, b} {
		if uid == "" {
			continue
		}
		if w.passed.memories[uid] {
			return true, nil
		}
		if gone, err := w.erased(ctx, schema.TombstoneMemory, uid); gone || err != nil {
			return gone, err
		}
	}
	return false, nil
}

// lift lets a line's id come back.
func (w *restoring) lift(ctx context.Context, l *exportLine) error {
	lift := func(kind schema.TombstoneKind, id string) error { return w.tx.LiftTombstone(ctx, w.scope, kind, id) }
	switch {
	case l.Header != nil:
		return lift(schema.TombstoneUser, strconv.FormatInt(l.Header.CreatedAt.UnixMilli(), 10))
	case l.Event != nil:
		return lift(schema.TombstoneEvent, l.Event.ID)
	case l.Entity != nil:
		return lift(schema.TombstoneEntity, l.Entity.UID)
	case l.Proposal != nil:
		return lift(schema.TombstoneProposal, l.Proposal.ID)
	case l.Gap != nil:
		return lift(schema.TombstoneGap, l.Gap.ID)
	case l.Memory != nil:
		return lift(schema.TombstoneMemory, l.Memory.UID)
	}
	return nil
}

// dropOrphans erases claims that came with an export and rest on what was
// erased here: they were drawn from it elsewhere. The entities that came are
// mentioned by less than the export says.
func (r *restorer) dropOrphans(ctx context.Context) error {
	if r.userID != 0 && len(r.passed.memories) > 0 {
		if err := r.job.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error { return tx.RecountMentions(ctx, r.userID) }); err != nil {
			return err
		}
	}
	var uids []string
	for uid := range r.passed.orphans {
		if r.fresh[uid] {
			uids = append(uids, uid)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	r.job.done.Orphans = uids
	return nil
}
