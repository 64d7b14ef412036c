package core

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/schema"
)

// ReadOrNew is [Read], but returns an empty trusted block of the given kind for one that
// was never written.
func ReadOrNew(ctx context.Context, db Reader, userID int64, agent, name string, kind BlockKind) (*Block, error) {
	b, err := Read(ctx, db, userID, agent, name)
	if errors.Is(err, schema.ErrNotFound) {
		return &Block{UserID: userID, Agent: agent, Name: name, Kind: kind, Trust: schema.MaxTrust}, nil
	}
	return b, err
}
