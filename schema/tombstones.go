package schema

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/ebbmem/ebb/internal/engine"
)

// A tombstone records that an id was erased, so that a message bus that redelivers, an
// old export, or a host that sends its history again does not restore the content.
//
// It is a hash of the owner and the id, and is stored without the owner's name. A reader
// of the file who guesses both can verify that such an id was erased, but learns nothing
// of the content.

// TombstoneKind is the kind of an erased id: an event and a memory may have the same id.
type TombstoneKind string

// The kinds of erased ids.
const (
	TombstoneEvent    TombstoneKind = "event"
	TombstoneMemory   TombstoneKind = "memory"
	TombstoneEntity   TombstoneKind = "entity"
	TombstoneProposal TombstoneKind = "proposal"
	TombstoneGap      TombstoneKind = "gap"
	TombstoneUser     TombstoneKind = "user" // of a name; the id is when the user was first seen, and "" for the last erasure
)

// Tombstone returns the stored form of an erased id of a scope's user: 128 bits of
// SHA-256, in hex. Session and agent are ignored.
func Tombstone(owner Scope, kind TombstoneKind, id string) string {
	h := make([]byte, 0, 256)
	h = append(h, "ebb tombstone 1"...)
	for _, field := range [...]string{owner.Tenant, owner.User, string(kind), id} {
		h = binary.AppendUvarint(h, uint64(len(field)))
		h = append(h, field...)
	}
	sum := sha256.Sum256(h)
	return hex.EncodeToString(sum[:16])
}

// Erased reports whether an id was erased. It costs nothing in a file without
// tombstones.
func (tx *Tx) Erased(ctx context.Context, owner Scope, kind TombstoneKind, id string) (erased bool, err error) {
	known := &tx.db.tombstones
	if tx.file == nil {
		err = tx.Row(ctx, hasTombstone, []any{Tombstone(owner, kind, id)}, &erased)
		return erased, err
	}
	if *known == unknown {
		var some bool
		if err := tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM tombstones)", nil, &some); err != nil {
			return false, err
		}
		if *known = absent; some {
			*known = present
		}
	}
	if *known == absent {
		return false, nil
	}
	err = tx.Row(ctx, hasTombstone, []any{Tombstone(owner, kind, id)}, &erased)
	return erased, err
}

// ErasedOfUnknown reports whether an event was erased together with its user, so that a
// redelivered message does not create the user again. It costs nothing for a user that
// exists.
func (tx *Tx) ErasedOfUnknown(ctx context.Context, owner Scope, id string) (bool, error) {
	if tx.file != nil && tx.db.scopes.users.Contains(userKey{owner.Tenant, owner.User}) {
		return false, nil
	}
	_, err := tx.KnownUserID(ctx, owner)
	if !errors.Is(err, ErrNotFound) {
		return false, err
	}
	return tx.Erased(ctx, owner, TombstoneEvent, id)
}

const hasTombstone = "SELECT EXISTS (SELECT 1 FROM tombstones WHERE id_hash = ?)"

// LiftTombstone deletes the tombstone of an id, which can be stored again from then on.
func (tx *Tx) LiftTombstone(ctx context.Context, owner Scope, kind TombstoneKind, id string) error {
	_, err := tx.Exec(ctx, "DELETE FROM tombstones WHERE id_hash = ?", Tombstone(owner, kind, id))
	return err
}

// AddTombstones stores tombstones, sorted, so that the index is written in order.
func (tx *Tx) AddTombstones(ctx context.Context, userID int64, hashes []string) error {
	slices.Sort(hashes)
	for _, hash := range hashes {
		if _, err := tx.AddTombstone(ctx, userID, hash, At(tx.Now)); err != nil {
			return err
		}
	}
	return nil
}

// AddTombstone stores the result of [Tombstone], from this file or another. fresh is
// false if it exists already.
func (tx *Tx) AddTombstone(ctx context.Context, userID int64, hash string, erasedAt Time) (fresh bool, err error) {
	if tx.file != nil {
		tx.db.tombstones = present // also if the write is rolled back: then only lookups are wasted
	}
	n, err := engine.Affected(tx.Exec(ctx, "INSERT INTO tombstones (id_hash, user_id, erased_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", hash, userID, erasedAt))
	return n > 0, err
}

// ErasureHolder is the prefix of the holder's name of a lease held by an erasure.
const ErasureHolder = "erasure "

// HeldByErasure reports whether the last holder of a lease, such as the night's, was an
// erasure.
func (tx *Tx) HeldByErasure(ctx context.Context, lease string) (held bool, err error) {
	err = tx.Row(ctx, heldByErasure, []any{lease, ErasureHolder + "%"}, &held)
	return held, err
}

// HeldByErasure is [Tx.HeldByErasure].
func (s *Snapshot) HeldByErasure(ctx context.Context, lease string) (held bool, err error) {
	err = s.Row(ctx, heldByErasure, []any{lease, ErasureHolder + "%"}, &held)
	return held, err
}

const heldByErasure = "SELECT EXISTS (SELECT 1 FROM leases WHERE name = ? AND holder LIKE ?)"
