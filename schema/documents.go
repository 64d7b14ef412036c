package schema

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// Document is a file that was imported into a user's memory.
type Document struct {
	bun.BaseModel `bun:"table:documents"`

	ID     int64  `bun:",pk,autoincrement" json:"-"`
	UserID int64  `bun:",notnull" json:"-"`
	URI    string `bun:"uri,notnull" json:"uri"` // the folder's name and the path within it
	Hash   string `bun:",notnull" json:"hash"`   // of its content when it was last read; "" if it no longer exists
	ReadAt Time   `bun:",notnull" json:"read_at"`
}

// DocumentTool is the value of [AttrTool] of a part of a document.
const DocumentTool = "import"

// PartOfDocument is an SQL condition on the table memories that is equivalent to
// [Memory.PartOfDocument].
const PartOfDocument = "(attributes <> '{}' AND coalesce(json_extract(attributes, '$.tool'), '') = '" + DocumentTool + "' AND json_extract(attributes, '$.source') IS NOT NULL)"

// PartOfDocument reports whether a memory was imported from a document. Searches find
// it, but it is not an event. A host's message with [AttrSource] alone is not part of a
// document.
func (m *Memory) PartOfDocument() bool {
	return m.Kind == KindEpisode && m.Attributes[AttrTool] == DocumentTool && m.Attributes[AttrSource] != ""
}

// Documents returns the documents of a user, ordered by URI.
func (s *Snapshot) Documents(ctx context.Context, userID int64) (documents []Document, err error) {
	err = s.NewSelect().Model(&documents).Where("user_id = ?", userID).Order("uri").Scan(ctx)
	return documents, err
}

// PutDocument records the hash of a document's content; "" if it no longer exists.
func (tx *Tx) PutDocument(ctx context.Context, userID int64, uri, hash string) error {
	_, err := tx.Exec(ctx, `INSERT INTO documents (user_id, uri, hash, read_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (user_id, uri) DO UPDATE SET hash = excluded.hash, read_at = excluded.read_at`, userID, uri, hash, At(tx.Now))
	return err
}

// Withdraw removes a part from search because its document no longer contains it. With
// back it reverses that.
//
// Errors: [*InvalidError] if m is not part of a document or is protected; [ErrConflict]
// if it changed since it was read.
func (tx *Tx) Withdraw(ctx context.Context, m *Memory, back bool, by Actor) error {
	if !m.PartOfDocument() || m.Protected {
		return &InvalidError{Field: "memory_id", Reason: "names no part of a document that may change"}
	}
	from, to := StateActive, StateRetired
	if back {
		from, to = to, from
	}
	if m.State != from {
		return fmt.Errorf("memory %s is not %s: %w", m.UID, from, ErrConflict)
	}
	if err := tx.changeMemory(ctx, m, by, "state", change{"state", string(to)}); err != nil {
		return err
	}
	m.State = to
	return nil
}

// Parts returns all parts of a document, in whatever state.
func (s *Snapshot) Parts(ctx context.Context, userID int64, uri string) (parts []Memory, err error) {
	err = selectMemories(s, &parts).Where("m.user_id = ? AND m.kind = ? AND m.attributes <> '{}'", userID, KindEpisode).
		Where("json_extract(m.attributes, '$.source') = ? AND json_extract(m.attributes, '$.tool') = ?", uri, DocumentTool).Order("m.id").Scan(ctx)
	return parts, err
}
