package schema

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
)

// A tombstone says that an id was erased, so that who still has what it stood
// for, a message bus, an old export, a host that sends its history again, does
// not bring it back.
//
// It is the hash of the owner and the id together, and the owner's name is not
// kept with it. Whoever has the file and guesses both can see that such a thing
// was erased; what it said cannot be seen.

// TombstoneKind says which ids are meant: an event and a memory of one id are
// two things.
type TombstoneKind string

// The kinds of id that are remembered as erased.
const (
	TombstoneEvent    TombstoneKind = "event"
	TombstoneMemory   TombstoneKind = "memory"
	TombstoneEntity   TombstoneKind = "entity"
	TombstoneProposal TombstoneKind = "proposal"
	TombstoneGap      TombstoneKind = "gap"
	TombstoneUser     TombstoneKind = "user" // of a name; the id is when the user was first seen
)

// Tombstone is the form in which an erased id of a scope's user is kept: 128
// bits of SHA-256, in hex. Session and agent do not count.
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

// Erased reports whether the id was erased. It costs nothing where nothing ever
// was.
func (tx *Tx) Erased(ctx context.Context, owner Scope, kind TombstoneKind, id string) (erased bool, err error) {
	known := &tx.db.tombstones
	if *known == notAsked {
		var some bool
		if err := tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM tombstones)", nil, &some); err != nil {
			return false, err
		}
		if *known = thereIsNone; some {
			*known = thereAreSome
		}
	}
	if *known == thereIsNone {
		return false, nil
	}
	err = tx.Row(ctx, hasTombstone, []any{Tombstone(owner, kind, id)}, &erased)
	return erased, err
}

// Erased is [Tx.Erased] for looking only.
func (s *Snapshot) Erased(ctx context.Context, owner Scope, kind TombstoneKind, id string) (erased bool, err error) {
	err = s.Row(ctx, hasTombstone, []any{Tombstone(owner, kind, id)}, &erased)
	return erased, err
}

// ErasedOfUnknown reports whether an event was erased together with its user: a
// message that comes again must not make the user anew. It costs nothing for a
// user who is known.
func (tx *Tx) ErasedOfUnknown(ctx context.Context, owner Scope, id string) (bool, error) {
	if tx.db.scopes.users.Contains(userKey{owner.Tenant, owner.User}) {
		return false, nil
	}
	_, err := tx.KnownUserID(ctx, owner)
	if !errors.Is(err, ErrNotFound) {
		return false, err
	}
	return tx.Erased(ctx, owner, TombstoneEvent, id)
}

const hasTombstone = "SELECT EXISTS (SELECT 1 FROM tombstones WHERE id_hash = ?)"

// LiftTombstone lets an erased id come back.
func (tx *Tx) LiftTombstone(ctx context.Context, owner Scope, kind TombstoneKind, id string) error {
	_, err := tx.Exec(ctx, "DELETE FROM tombstones WHERE id_hash = ?", Tombstone(owner, kind, id))
	return err
}

// bury writes tombstones. Sorted, so that their places in the index follow
// each other.
func (tx *Tx) AddTombstones(ctx context.Context, userID int64, hashes []string) error {
	slices.Sort(hashes)
	for _, hash := range hashes {
		if _, err := tx.AddTombstone(ctx, userID, hash, At(tx.Now)); err != nil {
			return err
		}
	}
	return nil
}

// AddTombstone writes one down as [Tombstone] made it, here or in another file.
// One that is known stays as it is; fresh is false then.
func (tx *Tx) AddTombstone(ctx context.Context, userID int64, hash string, erasedAt Time) (fresh bool, err error) {
	tx.db.tombstones = thereAreSome // also when the write is undone: then it only costs
	res, err := tx.Exec(ctx, "INSERT INTO tombstones (id_hash, user_id, erased_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", hash, userID, erasedAt)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// ErasureHolder is the prefix of the name under which an erasure holds a lease.
const ErasureHolder = "erasure "

// HeldByErasure reports whether the last holder of a lease, such as the night's,
// was an erasure.
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
