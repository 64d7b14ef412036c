package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Erasure says what of one user's memory is to be erased. Everything that any
// of its fields names is; at least one must name something.
type Erasure struct {
	// Memories are public ids. Erasing a message takes with it what rests on it
	// alone; erasing a claim leaves the messages that it rests on.
	Memories []string
	// Events are the ids of events, with what they became.
	Events []string
	// Sessions are the names of conversations: all that was said in them.
	Sessions []string
	// Since and Until bound when it happened: from Since, before Until. A zero
	// one does not bound; both zero name nothing.
	Since, Until time.Time
	// Everything is the user, whole: name and settings too.
	Everything bool
}

// Validate returns an [*InvalidError] for an erasure that names nothing, or
// names everything and something beside it.
func (e *Erasure) Validate() error {
	some := len(e.Memories)+len(e.Events)+len(e.Sessions) > 0 || !e.Since.IsZero() || !e.Until.IsZero()
	switch {
	case !some && !e.Everything:
		return &InvalidError{Field: "Erasure", Reason: "names nothing; give ids, sessions, a span of time, or everything"}
	case some && e.Everything:
		return &InvalidError{Field: "Erasure.Everything", Reason: "stands beside a choice; give one or the other"}
	case !e.Since.IsZero() && !e.Until.IsZero() && !e.Since.Before(e.Until):
		return &InvalidError{Field: "Erasure.Until", Reason: "is not after Since"}
	}
	for _, list := range []struct {
		field  string
		values []string
	}{{"Erasure.Memories", e.Memories}, {"Erasure.Events", e.Events}, {"Erasure.Sessions", e.Sessions}} {
		if slices.Contains(list.values, "") {
			return &InvalidError{Field: list.field, Reason: "holds an empty name"}
		}
	}
	return nil
}

// ErasureState is how far an erasure has got.
type ErasureState string

// The states of an erasure, in order.
const (
	ErasureMarking ErasureState = "marking" // ids are being written down that must not come back
	ErasureErasing ErasureState = "erasing" // nothing of it is read any more; rows are being deleted
	ErasureLogged  ErasureState = "logged"  // no row is left; the write-ahead log still holds old pages
	ErasureDone    ErasureState = "done"    // no file of the database holds it
)

// Receipt is what an erasure did, store by store. It holds nothing of what was
// erased.
type Receipt struct {
	ID         string       `json:"id"`
	State      ErasureState `json:"state"`
	Everything bool         `json:"everything,omitempty"`
	AskedAt    Time         `json:"asked_at"`
	FinishedAt Time         `json:"finished_at,omitzero"`
	// Erased counts the rows that are gone, by table. "chunks" are the pieces
	// of the full-text index.
	Erased map[string]int64 `json:"erased"`
	// Rewritten counts the rows that stayed without what they held of it.
	Rewritten map[string]int64 `json:"rewritten,omitempty"`
	// Tombstones is how many ids were written down, hashed, that must not come
	// back.
	Tombstones int64 `json:"tombstones"`
	// Rederived are the claims that other sources still bear: what they knew of
	// the erased ones is gone from them.
	Rederived []string `json:"rederived,omitempty"`
	// Revived are the claims that an erased one had taken the place of, and that
	// hold again: it is as if the erased one had never been told.
	Revived []string `json:"revived,omitempty"`
	// Pending says what is left to do and who does it; empty when nothing is.
	Pending string `json:"pending,omitempty"`
}

func newReceipt() *Receipt {
	return &Receipt{Erased: make(map[string]int64), Rewritten: make(map[string]int64)}
}

// ErasureError means that an erasure is under way and not finished. What is
// erased stays erased; the rest is finished later, at the latest when the file
// is next opened. It wraps the cause.
type ErasureError struct {
	State ErasureState
	Err   error
}

func (e *ErasureError) Error() string {
	if e.State == ErasureLogged {
		return "erased in the database, but its write-ahead log still holds old pages and could not be emptied (" + e.Err.Error() +
			"): end what reads the file for long; it is tried again, and at every open"
	}
	return "the erasure is not finished (" + e.Err.Error() + "); it goes on at the next open"
}

// Unwrap gives the cause.
func (e *ErasureError) Unwrap() error { return e.Err }

// erasureBatch is how many rows one transaction erases, with what rests on
// them: other writes wait for it.
const erasureBatch = 256

// Erase erases what was asked for, for good: messages, what was derived from
// them, their text in every index, their vectors, what the journal, the audit
// and the ledgers hold of them. What other sources bear stays, without what it
// had of the erased ones.
//
// The first transaction writes down what is to be erased; from then on no read
// returns any of it. Large erasures take several more; one that is cut off is
// finished by [DB.FinishErasures]. The last step empties the write-ahead log.
//
// The receipt is valid, for what was done, also beside an [*ErasureError].
//
// Errors: [*InvalidError]; [ErrNotFound] for a user, a memory, an event or a
// session that is not there, and then nothing is erased; [*ErasureError];
// those of [DB.Write].
func (db *DB) Erase(ctx context.Context, scope Scope, what Erasure, by Actor) (*Receipt, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := what.Validate(); err != nil {
		return nil, err
	}
	var e *eraser
	err := db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		e = &eraser{db: db, tx: tx, by: by, receipt: newReceipt()}
		return e.begin(ctx, scope, &what)
	})
	if err != nil {
		return nil, err
	}
	if err := e.finish(ctx); err != nil {
		return e.receipt, err
	}
	return e.receipt, nil
}

// errPreview undoes a preview.
var errPreview = errors.New("preview")

// previewSteps is how many transactions' worth of work a preview does.
const previewSteps = 8

// PreviewErase says what [DB.Erase] would do, and does nothing. Of a large
// erasure it counts what was named and works out the rest of it in part;
// Pending says so.
//
// Errors: those of [DB.Erase], but for [*ErasureError].
func (db *DB) PreviewErase(ctx context.Context, scope Scope, what Erasure) (*Receipt, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := what.Validate(); err != nil {
		return nil, err
	}
	var e *eraser
	err := db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		e = &eraser{db: db, tx: tx, by: Actor{Name: "preview"}, receipt: newReceipt()}
		if err := e.begin(ctx, scope, &what); err != nil {
			return err
		}
		if what.Everything {
			if err := e.countUser(ctx); err != nil {
				return err
			}
			return errPreview
		}
		for range previewSteps {
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
		e.receipt.Pending = fmt.Sprintf("worked out in part: %d memories more were named", left)
		return errPreview
	})
	if !errors.Is(err, errPreview) {
		return nil, err
	}
	e.receipt.ID, e.receipt.State = "", ""
	return e.receipt, nil
}

// FinishErasures goes on with every erasure that was cut off or whose old pages
// are still in the write-ahead log. It returns the row ids of the users whose
// erasures were open.
//
// Errors: [*ErasureError], joined for several.
func (db *DB) FinishErasures(ctx context.Context) (users []int64, err error) {
	waiting, err := db.openErasures(ctx)
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

// openErasures reads the erasures that are not done, oldest first.
func (db *DB) openErasures(ctx context.Context) (waiting []*eraser, err error) {
	err = db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
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
			if err := json.Unmarshal([]byte(receipt), e.receipt); err != nil {
				return fmt.Errorf("the receipt of erasure %d: %w", e.id, err)
			}
			e.receipt.State = ErasureState(state)
			waiting = append(waiting, e)
		}
		return rows.Err()
	})
	return waiting, err
}

// Erasures lists the receipts of a user's erasures, newest first. Those of a
// user who was erased whole are nobody's any more; userID 0 lists these.
func (s *Snapshot) Erasures(ctx context.Context, userID int64) ([]Receipt, error) {
	rows, err := s.Query(ctx, `SELECT receipt FROM erasures WHERE user_id = ?1 AND NOT everything OR ?1 = 0 AND everything ORDER BY id DESC`, userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Receipt
	for rows.Next() {
		var encoded string
		if err := rows.Scan(&encoded); err != nil {
			return nil, err
		}
		r := newReceipt()
		if err := json.Unmarshal([]byte(encoded), r); err != nil {
			return nil, fmt.Errorf("the receipt of an erasure: %w", err)
		}
		all = append(all, *r)
	}
	return all, rows.Err()
}

// OpenErasures counts the erasures that are not done, and those of them of
// which rows are left.
func (s *Snapshot) OpenErasures(ctx context.Context) (open, unfinished int64, err error) {
	err = s.Row(ctx, "SELECT count(*), count(*) FILTER (WHERE state <> 'logged') FROM erasures WHERE state <> 'done'", nil, &open, &unfinished)
	return open, unfinished, err
}

// eraser is one erasure at work. Its transactions follow each other.
type eraser struct {
	db      *DB
	tx      *Tx // of the moment
	id      int64
	userID  int64
	owner   Scope
	by      Actor
	receipt *Receipt
}

// begin writes down what is to be erased, and erases it at once when that is
// little.
func (e *eraser) begin(ctx context.Context, scope Scope, what *Erasure) (err error) {
	if e.userID, err = e.tx.KnownUserID(ctx, scope); err != nil {
		return err
	}
	e.owner = Scope{Tenant: scope.Tenant, User: scope.User}
	e.receipt.AskedAt, e.receipt.Everything, e.receipt.State = At(e.tx.Now), what.Everything, ErasureErasing
	if what.Everything {
		e.receipt.State = ErasureMarking
	}
	if e.receipt.ID, err = newUID(); err != nil {
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
	if err := e.seizeNights(ctx); err != nil {
		return err
	}
	if what.Everything {
		return nil
	}
	return e.choose(ctx, what)
}

// erasureHolder begins the name under which an erasure holds the lease of nights.
const erasureHolder = "erasure "

// HeldByErasure reports whether an erasure took a lease last, from a night say, and
// nobody since.
func (tx *Tx) HeldByErasure(ctx context.Context, lease string) (held bool, err error) {
	err = tx.Row(ctx, heldByErasure, []any{lease, erasureHolder + "%"}, &held)
	return held, err
}

// HeldByErasure is [Tx.HeldByErasure].
func (s *Snapshot) HeldByErasure(ctx context.Context, lease string) (held bool, err error) {
	err = s.Row(ctx, heldByErasure, []any{lease, erasureHolder + "%"}, &held)
	return held, err
}

const heldByErasure = "SELECT EXISTS (SELECT 1 FROM leases WHERE name = ? AND holder LIKE ?)"

// seizeNights ends a night at work: what it has read may be what is erased.
// Its next transaction finds its lease gone; it reads anew and goes on then.
func (e *eraser) seizeNights(ctx context.Context) error {
	const hold = time.Second // as long as a night's own
	_, err := e.tx.Exec(ctx, `INSERT INTO leases (name, holder, term, expires_at) VALUES ('night', ?, 1, ?)
		ON CONFLICT (name) DO UPDATE SET term = term + (holder <> excluded.holder), holder = excluded.holder, expires_at = excluded.expires_at`,
		erasureHolder+e.receipt.ID, time.Now().Add(hold).UnixMilli())
	return err
}

// freeNights lets nights begin again.
func (e *eraser) freeNights(ctx context.Context) error {
	_, err := e.tx.Exec(ctx, "UPDATE leases SET expires_at = 0 WHERE name = 'night' AND holder = ?", erasureHolder+e.receipt.ID)
	return err
}

// finish does what is left: batch by batch, then the log.
func (e *eraser) finish(ctx context.Context) error {
	for e.receipt.State == ErasureMarking || e.receipt.State == ErasureErasing {
		before := e.receipt
		err := e.db.Write(ctx, func(ctx context.Context, tx *Tx) error {
			e.tx, e.receipt = tx, before.clone()
			return e.step(ctx)
		})
		if err != nil {
			e.receipt = before
			return &ErasureError{State: before.State, Err: err}
		}
	}
	if e.receipt.State == ErasureLogged {
		if err := e.emptyLog(ctx); err != nil {
			e.receipt.Pending = "the write-ahead log holds old pages until nothing reads them; it is emptied then, at the latest at the next open"
			return &ErasureError{State: ErasureLogged, Err: err}
		}
	}
	return nil
}

// step is one transaction of the work.
func (e *eraser) step(ctx context.Context) error {
	if err := e.seizeNights(ctx); err != nil {
		return err
	}
	var more bool
	var err error
	switch {
	case e.receipt.State == ErasureMarking:
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
		e.receipt.State = ErasureLogged
		e.receipt.Pending = "the write-ahead log has to be emptied"
		if err := errors.Join(e.freeNights(ctx), e.tx.auditRow(ctx, e.userID, e.by, opErase, "erasures", e.id, "", e.summary())); err != nil {
			return err
		}
	}
	return e.record(ctx)
}

// opErase is what the audit keeps of an erasure: how much, and nothing of what.
const opErase = "erase"

func (e *eraser) summary() string {
	encoded, err := json.Marshal(e.receipt.Erased)
	if err != nil {
		panic(err) // numbers can always be encoded
	}
	return string(encoded)
}

func (e *eraser) record(ctx context.Context) error {
	encoded, err := json.Marshal(e.receipt)
	if err != nil {
		return err
	}
	_, err = e.tx.Exec(ctx, "UPDATE erasures SET state = ?, finished_at = ?, receipt = ? WHERE id = ?",
		string(e.receipt.State), e.receipt.FinishedAt, string(encoded), e.id)
	return err
}

// emptyLog takes away what the text index keeps of its old segments, moves what
// was committed into the file and cuts the log, which holds older pages of it, to
// nothing.
func (e *eraser) emptyLog(ctx context.Context) error {
	if err := e.db.finishMerges(ctx); err != nil {
		return err
	}
	if err := e.db.truncateLog(ctx); err != nil {
		return err
	}
	done := e.receipt.clone()
	done.State, done.Pending = ErasureDone, ""
	return e.db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		done.FinishedAt = At(tx.Now)
		e.tx, e.receipt = tx, done
		return e.record(ctx)
	})
}

func (r *Receipt) clone() *Receipt {
	c := *r
	c.Erased, c.Rewritten = maps.Clone(r.Erased), maps.Clone(r.Rewritten)
	c.Rederived, c.Revived = slices.Clone(r.Rederived), slices.Clone(r.Revived)
	return &c
}

// remove runs a DELETE and counts what went.
func (e *eraser) remove(ctx context.Context, table, query string, args ...any) (int64, error) {
	n, err := e.affected(ctx, query, args...)
	if n > 0 {
		e.receipt.Erased[table] += n
	}
	return n, err
}

// rewrite runs an UPDATE and counts what changed.
func (e *eraser) rewrite(ctx context.Context, table, query string, args ...any) error {
	n, err := e.affected(ctx, query, args...)
	if n > 0 {
		e.receipt.Rewritten[table] += n
	}
	return err
}

func (e *eraser) affected(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := e.tx.Exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// ids reads one column of row ids.
func (e *eraser) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	return column[int64](ctx, e.tx, query, args...)
}

func column[T any](ctx context.Context, tx *Tx, query string, args ...any) (values []T, err error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, rows.Err()
}

// list is row ids or names as a JSON array, for json_each.
func list[T any](values []T) string {
	encoded, err := json.Marshal(append([]T{}, values...))
	if err != nil {
		panic(err) // numbers and texts can always be encoded
	}
	return string(encoded)
}

// missing is [ErrNotFound] with what was not found.
func missing(what, id string) error { return fmt.Errorf("%s %.64q: %w", what, id, ErrNotFound) }

func noRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
