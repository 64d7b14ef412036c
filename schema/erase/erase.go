// Package erase deletes part or all of a user's memory for good: messages, what was
// derived from them, their text in every index, their vectors, and what the journal,
// the audit and the ledgers hold of them.
//
// An erasure is a chain of short transactions. The first stores the ids to be
// erased, and from then on no read returns them. [Run] carries it out; [Finish]
// resumes erasures that were interrupted. The last step empties the write-ahead log.
//
// A derived memory stays when other sources support it and it reveals no word that
// only erased ones held. [schema.Tombstone] keeps erased ids from coming back.
package erase

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
)

// Erasure selects what to erase of one user's memory: everything that any of its
// fields names. At least one field must name something.
type Erasure struct {
	// Memories are public ids. Erasing a message also erases what rests on it alone;
	// erasing a claim leaves its source messages.
	Memories []string
	// Events are ids of events; what was made of them is erased too.
	Events []string
	// Sessions are the names of conversations. All messages in them are erased.
	Sessions []string
	// Speakers are the names of people or agents in a memory that several share, in capitals
	// or not. All their messages are erased, in any session; what others say of them stays,
	// an agent's answers too.
	Speakers []string
	// Since and Until select by the time of the event: from Since, before Until. A zero
	// bound is open; two zero bounds select nothing.
	Since, Until time.Time
	// Everything selects the whole user, name and settings included.
	Everything bool
}

// Validate returns an [*schema.InvalidError] for an erasure that names nothing, or
// combines Everything with another choice.
func (e *Erasure) Validate() error {
	some := len(e.Memories)+len(e.Events)+len(e.Sessions)+len(e.Speakers) > 0 || !e.Since.IsZero() || !e.Until.IsZero()
	switch {
	case !some && !e.Everything:
		return &schema.InvalidError{Field: "Erasure", Reason: "names nothing; give ids, sessions, speakers, a span of time, or everything"}
	case some && e.Everything:
		return &schema.InvalidError{Field: "Erasure.Everything", Reason: "stands beside a choice; give one or the other"}
	case !e.Since.IsZero() && !e.Until.IsZero() && !e.Since.Before(e.Until):
		return &schema.InvalidError{Field: "Erasure.Until", Reason: "is not later than the span's beginning"}
	}
	for _, list := range []struct {
		field  string
		values []string
	}{{"Erasure.Memories", e.Memories}, {"Erasure.Events", e.Events}, {"Erasure.Sessions", e.Sessions}, {"Erasure.Speakers", e.Speakers}} {
		if slices.Contains(list.values, "") {
			return &schema.InvalidError{Field: list.field, Reason: "holds an empty name"}
		}
	}
	return nil
}

// batchSize is the number of selected rows that one transaction erases, with all
// that rests on them. Other writes wait for it.
const batchSize = 256

// Run erases what the selection names, for good: messages, what was derived from
// them, their text in every index, their vectors, and what the journal, the audit
// and the ledgers hold of them. Claims that other sources support stay, without what
// they took from the erased ones.
//
// The first transaction stores what is to be erased; from then on no read returns
// any of it. Then rows are deleted, and the user's history is swept for what else
// speaks of them, in more transactions, between which others write. [Finish] resumes
// an erasure that was interrupted. The last step empties the write-ahead log.
//
// The receipt is valid, for what was done, also together with an [*Error].
//
// Errors: [*schema.InvalidError]; [schema.ErrNotFound] for a user, memory, event,
// session or speaker that does not exist, and then nothing is erased; [*Error]; those of
// [schema.DB.Write].
func Run(ctx context.Context, db *schema.DB, scope schema.Scope, what Erasure, by schema.Actor) (*Receipt, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := what.Validate(); err != nil {
		return nil, err
	}
	var e *eraser
	err := db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		e = &eraser{db: db, tx: tx, by: by, receipt: newReceipt()}
		return e.begin(ctx, scope, &what)
	})
	if err != nil {
		return nil, err
	}
	if err := e.finishOthers(ctx); err != nil {
		return e.receipt, &Error{State: e.receipt.State, Err: err}
	}
	if err := e.finish(ctx); err != nil {
		return e.receipt, err
	}
	return e.receipt, nil
}

// finishOthers deletes the rows of the user's other erasures. They may have been selected
// before this one selected them again, by a host that is at work or gone.
func (e *eraser) finishOthers(ctx context.Context) error {
	waiting, err := readOpen(ctx, e.db)
	for _, other := range waiting {
		if err == nil && other.userID == e.userID && other.id != e.id {
			err = other.deleteRows(ctx)
		}
	}
	return err
}

// errPreview rolls a preview back.
var errPreview = errors.New("preview")

// previewSteps is the number of batches that a preview works out, and previewSweep the
// time for which it then goes through other tables. Other writes wait for both.
const (
	previewSteps = 8
	previewSweep = 2 * time.Second
)

// Preview reports what [Run] would do and changes nothing. For a large erasure it
// works out the first batches only; Pending then says how many selected memories
// remain.
//
// Errors: those of [Run], but for [*Error].
func Preview(ctx context.Context, db *schema.DB, scope schema.Scope, what Erasure) (*Receipt, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := what.Validate(); err != nil {
		return nil, err
	}
	var e *eraser
	err := db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		e = &eraser{db: db, tx: tx, by: schema.Actor{Name: "preview"}, receipt: newReceipt()}
		if err := e.begin(ctx, scope, &what); err != nil {
			return err
		}
		if what.Everything {
			if err := e.countUser(ctx); err != nil {
				return err
			}
			return errPreview
		}
		for step, began := 0, time.Now(); step < previewSteps || e.sweeping != nil && time.Since(began) < previewSweep; step++ {
			more, err := e.eraseChosen(ctx)
			if err != nil {
				return err
			}
			if !more {
				return errPreview
			}
		}
		var left int64
		if err := tx.Row(ctx, "SELECT count(*) FROM erasing WHERE erasure_id = ? AND record = 'memories'", []any{e.id}, &left); err != nil {
			return err
		}
		e.receipt.Pending = "worked out in part: not all that speaks of it was looked at"
		if left > 0 {
			e.receipt.Pending = fmt.Sprintf("worked out in part: %d memories more were named", left)
		}
		return errPreview
	})
	if !errors.Is(err, errPreview) {
		return nil, err
	}
	e.receipt.ID, e.receipt.State = "", ""
	return e.receipt, nil
}

// Finish resumes every erasure that was interrupted, or that has old pages left in
// the write-ahead log. It returns the row ids of the users that these erasures
// belong to.
//
// Errors: [*Error], joined for several.
func Finish(ctx context.Context, db *schema.DB) (users []int64, err error) {
	waiting, err := readOpen(ctx, db)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, e := range waiting {
		errs = append(errs, e.finish(ctx))
		users = append(users, e.userID)
	}
	return users, errors.Join(errs...)
}

// readOpen reads the erasures that are not done, oldest first.
func readOpen(ctx context.Context, db *schema.DB) (waiting []*eraser, err error) {
	err = db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		rows, err := s.Query(ctx, `SELECT e.id, e.user_id, u.tenant, u.name, e.actor, e.state, e.receipt FROM erasures e
			JOIN users u ON u.id = e.user_id WHERE e.state <> 'done' ORDER BY e.id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			e := &eraser{db: db, receipt: newReceipt()}
			var state, receipt string
			if err := rows.Scan(&e.id, &e.userID, &e.owner.Tenant, &e.owner.User, &e.by.Name, &state, &receipt); err != nil {
				return err
			}
			if err := schema.DecodeStored("the receipt of an erasure", receipt, e.receipt); err != nil {
				return err
			}
			e.receipt.State = State(state)
			waiting = append(waiting, e)
		}
		return rows.Err()
	})
	return waiting, err
}

// Unfinished reports whether an erasure of a user has rows left to delete.
func Unfinished(ctx context.Context, q schema.Querier, userID int64) (unfinished bool, err error) {
	err = q.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM erasures WHERE user_id = ? AND state IN ('marking', 'erasing'))", userID).Scan(&unfinished)
	return unfinished, err
}

// CountOpen counts the erasures that are not done, and among them those that have
// rows left to delete.
func CountOpen(ctx context.Context, q schema.Querier) (open, unfinished int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE state <> 'logged') FROM erasures WHERE state <> 'done'").Scan(&open, &unfinished)
	return open, unfinished, err
}

// eraser carries out one erasure, one transaction after another.
type eraser struct {
	db      *schema.DB
	tx      *schema.Tx // the current transaction
	id      int64
	userID  int64
	owner   schema.Scope
	by      schema.Actor
	receipt *Receipt

	sweeping *batch // what sweep looks for, once it has read it
}

// begin stores the erasure and the rows that it selects.
func (e *eraser) begin(ctx context.Context, scope schema.Scope, what *Erasure) (err error) {
	if e.userID, err = e.tx.KnownUserID(ctx, scope); err != nil {
		return err
	}
	e.owner = schema.Scope{Tenant: scope.Tenant, User: scope.User}
	e.receipt.AskedAt, e.receipt.Everything, e.receipt.State = schema.At(e.tx.Now), what.Everything, Erasing
	if what.Everything {
		e.receipt.State = Marking
	}
	if e.receipt.ID, err = schema.NewUID(); err != nil {
		return err
	}
	encoded, err := json.Marshal(e.receipt)
	if err != nil {
		return err
	}
	if err := e.tx.Row(ctx, `INSERT INTO erasures (uid, user_id, everything, state, actor, asked_at, receipt) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		[]any{e.receipt.ID, e.userID, what.Everything, string(e.receipt.State), e.by.Name, e.receipt.AskedAt, string(encoded)}, &e.id); err != nil {
		return err
	}
	if err := e.takeNightLease(ctx); err != nil {
		return err
	}
	if what.Everything {
		return nil
	}
	return e.choose(ctx, what)
}

// takeNightLease interrupts a running consolidation, which may have read what is
// being erased. Its next transaction fails for want of the lease; it reads again
// when it resumes.
func (e *eraser) takeNightLease(ctx context.Context) error {
	const hold = time.Second // as long as a consolidation holds it
	_, err := e.tx.Exec(ctx, `INSERT INTO leases (name, holder, term, expires_at) VALUES (?, ?, 1, ?)
		ON CONFLICT (name) DO UPDATE SET term = leases.term + CASE WHEN leases.holder <> excluded.holder THEN 1 ELSE 0 END, holder = excluded.holder, expires_at = excluded.expires_at`,
		e.db.NightLease(e.userID), schema.ErasureHolder+e.receipt.ID, time.Now().Add(hold).UnixMilli())
	return err
}

// releaseNightLease lets consolidations start again.
func (e *eraser) releaseNightLease(ctx context.Context) error {
	_, err := e.tx.Exec(ctx, "UPDATE leases SET expires_at = 0 WHERE name = ? AND holder = ?", e.db.NightLease(e.userID), schema.ErasureHolder+e.receipt.ID)
	return err
}

// finish does what is left: the remaining batches, then the log.
func (e *eraser) finish(ctx context.Context) error {
	if err := e.deleteRows(ctx); err != nil {
		return err
	}
	if e.receipt.State == Logged {
		if err := e.emptyLog(ctx); err != nil {
			e.receipt.Pending = "the write-ahead log holds old pages until nothing reads them; it is emptied then, at the latest at the next open"
			return &Error{State: Logged, Err: err}
		}
	}
	return nil
}

// deleteRows carries out the remaining batches.
func (e *eraser) deleteRows(ctx context.Context) error {
	for e.receipt.State == Marking || e.receipt.State == Erasing {
		before := e.receipt
		err := e.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			e.tx, e.receipt = tx, before.clone()
			return e.step(ctx)
		})
		if err != nil {
			e.receipt = before
			return &Error{State: before.State, Err: err}
		}
	}
	return nil
}

// step is one transaction of an erasure. Others may have taken some since the last one.
func (e *eraser) step(ctx context.Context) error {
	if err := e.catchUp(ctx); err != nil || e.receipt.State == Logged || e.receipt.State == Done {
		return err
	}
	if err := e.takeNightLease(ctx); err != nil {
		return err
	}
	var more bool
	var err error
	switch {
	case e.receipt.State == Marking:
		err = e.markUser(ctx)
		more = true
	case e.receipt.Everything:
		more, err = e.eraseUser(ctx)
	default:
		more, err = e.eraseChosen(ctx)
	}
	if err != nil {
		return err
	}
	if !more {
		e.receipt.State = Logged
		e.receipt.Pending = "the write-ahead log has to be emptied"
		if err := errors.Join(e.releaseNightLease(ctx), e.tx.AuditRow(ctx, e.userID, e.by, schema.OpErase, "erasures", e.id, "", e.summary())); err != nil {
			return err
		}
	}
	return e.record(ctx)
}

// catchUp reads how far the erasure is. One whose user has been erased is done.
func (e *eraser) catchUp(ctx context.Context) error {
	var state, receipt string
	err := e.tx.Row(ctx, "SELECT state, receipt FROM erasures WHERE id = ?", []any{e.id}, &state, &receipt)
	if noRows(err) {
		e.receipt.State = Done
		return nil
	}
	if err != nil {
		return err
	}
	e.receipt = newReceipt()
	err = schema.DecodeStored("the receipt of an erasure", receipt, e.receipt)
	e.receipt.State = State(state)
	return err
}

// emptyLog removes the old segments of the text index, checkpoints the log and
// truncates it: it holds old pages with erased text.
func (e *eraser) emptyLog(ctx context.Context) error {
	if err := e.db.FinishMerges(ctx); err != nil {
		return err
	}
	if err := e.db.TruncateLog(ctx); err != nil {
		return err
	}
	done := e.receipt.clone()
	done.State, done.Pending = Done, ""
	return e.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		done.FinishedAt = schema.At(tx.Now)
		e.tx, e.receipt = tx, done
		return e.record(ctx)
	})
}

// remove runs a DELETE and counts the deleted rows.
func (e *eraser) remove(ctx context.Context, table, query string, args ...any) (int64, error) {
	n, err := e.affected(ctx, query, args...)
	if n > 0 {
		e.receipt.Erased[table] += n
	}
	return n, err
}

// rewrite runs an UPDATE and counts the changed rows.
func (e *eraser) rewrite(ctx context.Context, table, query string, args ...any) error {
	n, err := e.affected(ctx, query, args...)
	if n > 0 {
		e.receipt.Rewritten[table] += n
	}
	return err
}

func (e *eraser) affected(ctx context.Context, query string, args ...any) (int64, error) {
	return engine.Affected(e.tx.Exec(ctx, query, args...))
}

// ids reads one column of row ids.
func (e *eraser) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	return schema.Column[int64](ctx, e.tx.Query, query, args...)
}

// missing wraps [schema.ErrNotFound] with what was not found.
func missing(what, id string) error { return fmt.Errorf("%s %.64q: %w", what, id, schema.ErrNotFound) }

func noRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
