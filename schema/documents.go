package schema

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// Document is a file that was taken into a user's memory.
type Document struct {
	bun.BaseModel `bun:"table:documents"`

	ID     int64  `bun:",pk,autoincrement" json:"-"`
	UserID int64  `bun:",notnull" json:"-"`
	URI    string `bun:"uri,notnull" json:"uri"` // the folder's name and the path within it
	Hash   string `bun:",notnull" json:"hash"`   // of what was read of it; "" when it is gone
	ReadAt Time   `bun:",notnull" json:"read_at"`
}

// DocumentTool stands with a part of a document where other texts have the tool
// that said them.
const DocumentTool = "import"

// PartOfDocument is a condition in SQL on the table memories: that one is a part
// of a document. It is what [Memory.PartOfDocument] says.
const PartOfDocument = "(attributes <> '{}' AND json_extract(attributes, '$.tool') IS '" + DocumentTool + "' AND json_extract(attributes, '$.source') IS NOT NULL)"

// PartOfDocument reports what was read from a file: it is found like all else,
// but nothing that happened. A message of a host's that has a source is none.
func (m *Memory) PartOfDocument() bool {
	return m.Kind == KindEpisode && m.Attributes[AttrTool] == DocumentTool && m.Attributes[AttrSource] != ""
}

// Documents lists the files that were taken into a user's memory, by URI.
func (s *Snapshot) Documents(ctx context.Context, userID int64) (documents []Document, err error) {
	err = s.NewSelect().Model(&documents).Where("user_id = ?", userID).Order("uri").Scan(ctx)
	return documents, err
}

// PutDocument notes what was read of a file. An empty hash says that it is gone.
func (tx *Tx) PutDocument(ctx context.Context, userID int64, uri, hash string) error {
	_, err := tx.Exec(ctx, `INSERT INTO documents (user_id, uri, hash, read_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (user_id, uri) DO UPDATE SET hash = excluded.hash, read_at = excluded.read_at`, userID, uri, hash, At(tx.Now))
	return err
}

// Withdraw takes a part of a document out of search, since the document does not
// hold it any more, and with back true puts it there again.
//
// Errors: [*InvalidError] for what is no part of a document or is protected;
// [ErrConflict] for one that changed since it was read.
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

// Parts lists what there is of a document in a user's memory, in whatever state.
func (s *Snapshot) Parts(ctx context.Context, userID int64, uri string) (parts []Memory, err error) {
	err = selectMemories(s, &parts).Where("m.user_id = ? AND m.kind = ? AND m.attributes <> '{}'", userID, KindEpisode).
		Where("json_extract(m.attributes, '$.source') = ? AND json_extract(m.attributes, '$.tool') = ?", uri, DocumentTool).Order("m.id").Scan(ctx)
	return parts, err
}
