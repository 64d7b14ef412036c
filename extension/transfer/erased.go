package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// An export is a copy that erasures do not reach. Importing it must not bring back
// what was erased here: neither by id nor in what was derived from it.

// restoring is one transaction of an import of an export.
type restoring struct {
	records.Writer

	passed *passed
}

// passed records what an import of an export skips, over all batches.
type passed struct {
	owners []schema.Scope // the importer, and the user of a trusted export under another name

	whole    bool             // the export's user was erased here
	judged   bool             // stale is known
	stale    bool             // something was erased here that the export may hold
	listed   int64            // tombstones in the export itself
	memories map[string]bool  // skipped, by public id
	entities map[string]bool  // new here
	claims   map[string]int64 // versions of the derived memories, by public id
	orphans  map[string]bool  // derived from something skipped
	events   map[string]bool  // events of skipped memories, by id
}

func newPassed() *passed {
	return &passed{memories: make(map[string]bool), entities: make(map[string]bool), claims: make(map[string]int64), orphans: make(map[string]bool), events: make(map[string]bool)}
}

// passOver reports whether a line must be skipped.
func (w *restoring) passOver(ctx context.Context, l *records.Line) (bool, error) {
	p := w.passed
	if l.Header != nil {
		return w.passUser(ctx, l.Header)
	}
	if p.whole {
		return true, nil
	}
	if l.Tombstone != nil {
		p.listed++
		return w.UserID == 0, nil // they alone do not create the user again
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
		if gone, err := w.erased(ctx, schema.TombstoneProposal, l.Proposal.ID); gone || err != nil {
			return gone, err
		}
		var about schema.Question // of other kinds too, the memory it is about
		_ = json.Unmarshal([]byte(l.Proposal.Payload), &about)
		return w.eitherPassed(ctx, about.MemoryID, "")
	case l.Memory != nil:
		return w.passMemory(ctx, l.Memory)
	case l.Superseded != nil:
		return w.eitherPassed(ctx, l.Superseded.Memory, l.Superseded.By)
	case l.Link != nil:
		return w.eitherPassed(ctx, l.Link.From, l.Link.To)
	case l.Source != nil:
		gone, err := w.eitherPassed(ctx, l.Source.Source, l.Source.Memory)
		if gone {
			p.orphans[l.Source.Memory] = true
		}
		return gone, err
	case l.Alias != nil: // names of older entities may have been erased too
		return p.stale && !p.entities[l.Alias.Entity], nil
	case l.Merged != nil:
		return p.stale && !p.entities[l.Merged.Entity], nil
	}
	// records that may mention erased data without its id: session names, ledgers,
	// audit, blocks
	return p.stale, nil
}

// passUser determines whether the export's user was erased here, or a user of that name
// since the export was written: one with another beginning here, as when an export was
// restored into a memory that the user had already. An export that does not say when it
// was written counts as written when its user was first seen.
func (w *restoring) passUser(ctx context.Context, h *records.Header) (bool, error) {
	p, created, written := w.passed, h.CreatedAt, h.WrittenAt
	if written.IsZero() {
		written = created
	}
	for _, owner := range p.owners {
		erased, err := w.Tx.Erased(ctx, owner, schema.TombstoneUser, strconv.FormatInt(created.UnixMilli(), 10))
		if err != nil {
			return false, err
		}
		since, err := w.ErasedSince(ctx, owner, schema.TombstoneUser, "", written)
		if err != nil {
			return false, err
		}
		p.whole, p.stale = p.whole || erased, p.stale || since
	}
	if !p.stale || p.whole {
		return p.whole, nil
	}
	id, err := w.Tx.KnownUserID(ctx, w.Scope)
	if errors.Is(err, schema.ErrNotFound) {
		id, err = 0, nil
	}
	w.UserID = id // may have come back
	return true, err
}

// judge determines whether something was erased here that the export has no
// tombstone for.
func (w *restoring) judge(ctx context.Context) error {
	if w.passed.judged || w.passed.stale {
		return nil
	}
	here, err := w.Tombstones(ctx)
	if err != nil {
		return err
	}
	w.passed.judged, w.passed.stale = true, here > w.passed.listed
	return nil
}

// erased reports whether a record was erased here. What else the export holds may then
// speak of it, whenever it was written: of another file, it does not know of the erasure.
func (w *restoring) erased(ctx context.Context, kind schema.TombstoneKind, id string) (bool, error) {
	for _, owner := range w.passed.owners {
		if gone, err := w.Tx.Erased(ctx, owner, kind, id); gone || err != nil {
			w.passed.stale = w.passed.stale || gone
			return gone, err
		}
	}
	return false, nil
}

func (w *restoring) passMemory(ctx context.Context, m *records.Memory) (gone bool, err error) {
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

// withoutLedger clears a line's run if it does not exist here, as when ledgers were
// skipped.
func (w *restoring) withoutLedger(ctx context.Context, l *records.Line) {
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
	if !w.HasRun(ctx, *run) {
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

// dropOrphans lists the imported claims that were derived from something erased here,
// also those that an interrupted import had brought, and corrects the counts of
// mentions of imported entities.
func (r *restorer) dropOrphans(ctx context.Context) error {
	if r.userID == 0 || len(r.passed.memories)+len(r.passed.orphans) == 0 {
		return nil
	}
	return r.job.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		w := records.Writer{Tx: tx, Scope: r.scope, UserID: r.userID, Trusted: r.job.opts.Restore}
		r.job.done.Orphans = nil
		for uid := range r.passed.orphans {
			if version, claim := r.passed.claims[uid]; claim {
				here, err := w.Unchanged(ctx, uid, version)
				if err != nil {
					return err
				}
				r.job.done.Orphans = append(r.job.done.Orphans, here...)
			}
		}
		return tx.RecountMentions(ctx, r.userID)
	})
}
