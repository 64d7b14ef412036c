package erase

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// State is the progress of an erasure.
type State string

// The states of an erasure, in order.
const (
	Marking State = "marking" // tombstones are being written
	Erasing State = "erasing" // reads no longer return it; rows are being deleted
	Logged  State = "logged"  // no row is left; old pages remain in the write-ahead log
	Done    State = "done"    // no file of the database holds it
)

// Receipt reports what an erasure did, by store. It holds nothing of what was
// erased.
type Receipt struct {
	ID         string      `json:"id"`
	State      State       `json:"state"`
	Everything bool        `json:"everything,omitempty"`
	AskedAt    schema.Time `json:"asked_at"`
	FinishedAt schema.Time `json:"finished_at,omitzero"`
	// Erased counts the deleted rows by table. "chunks" are the pieces of the full-text
	// index.
	Erased map[string]int64 `json:"erased"`
	// Rewritten counts the rows that stayed, with the erased content taken out.
	Rewritten map[string]int64 `json:"rewritten,omitempty"`
	// Tombstones counts the ids that were stored, hashed, so that they do not come
	// back.
	Tombstones int64 `json:"tombstones"`
	// Rederived are the claims that other sources still support. Nothing from the
	// erased sources is left in them.
	Rederived []string `json:"rederived,omitempty"`
	// Revived are the claims that an erased claim had superseded. They hold again.
	Revived []string `json:"revived,omitempty"`
	// Pending says what is left to do and which part of the program does it; empty when
	// nothing is.
	Pending string `json:"pending,omitempty"`
}

func newReceipt() *Receipt {
	return &Receipt{Erased: make(map[string]int64), Rewritten: make(map[string]int64)}
}

// Receipts lists the receipts of a user's erasures, newest first. Receipts of users
// who were erased entirely belong to no user; userID 0 lists those.
func Receipts(ctx context.Context, s *schema.Snapshot, userID int64) ([]Receipt, error) {
	var all []Receipt
	var encoded string
	err := schema.Each(ctx, s.Query, []any{&encoded}, func() error {
		r := newReceipt()
		if err := schema.DecodeStored("the receipt of an erasure", encoded, r); err != nil {
			return err
		}
		all = append(all, *r)
		return nil
	}, `SELECT receipt FROM erasures WHERE user_id = ?1 AND everything = 0 OR ?1 = 0 AND everything <> 0 ORDER BY id DESC`, userID)
	return all, err
}

func (r *Receipt) clone() *Receipt {
	c := *r
	c.Erased, c.Rewritten = maps.Clone(r.Erased), maps.Clone(r.Rewritten)
	c.Rederived, c.Revived = slices.Clone(r.Rederived), slices.Clone(r.Revived)
	return &c
}

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

// Error means that an erasure has begun and is not finished. What is erased stays
// erased; the rest is finished later, at the latest at the next open. It wraps the
// cause.
type Error struct {
	State State
	Err   error
}

func (e *Error) Error() string {
	if e.State == Logged {
		return "erased in the database, but its write-ahead log still holds old pages and could not be emptied (" + e.Err.Error() +
			"): end what reads the file for long; it is tried again, and at every open"
	}
	return "the erasure is not finished (" + e.Err.Error() + "); it goes on at the next open"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
