package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
)

// Loss is data that [Open] found missing from a file. See the table losses.
type Loss struct {
	NoticedAt time.Time
	MarkedAt  time.Time // when the file last had more, as far as known
	// Gone lists the missing rows by table, or the missing frames of the
	// write-ahead log under [LostFrames].
	Gone map[string]Gone
}

// Gone is a range of row numbers: from After+1 through Through.
type Gone struct {
	After   int64 `json:"after"`
	Through int64 `json:"through"`
}

// UnrecordedLoss returns the loss that a read-only [Open] found and could not
// record in the file, or nil.
func (db *DB) UnrecordedLoss() *Loss { return db.unrecorded }

// record stores the loss in the file and keeps the lost row numbers from being
// reused.
func (l *Loss) record(ctx context.Context, conn *bun.DB) error {
	gone, err := json.Marshal(l.Gone)
	if err != nil {
		return err
	}
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.Tx.ExecContext(ctx, "INSERT INTO losses (noticed_at, marked_at, gone) VALUES (?, ?, ?)", l.NoticedAt.UnixMilli(), l.MarkedAt.UnixMilli(), string(gone))
		if err != nil {
			return err
		}
		for table, g := range l.Gone {
			if table == LostFrames {
				continue
			}
			if err := raiseSequence(ctx, tx, table, g.Through); err != nil {
				return err
			}
		}
		return nil
	})
}

func raiseSequence(ctx context.Context, tx bun.Tx, table string, through int64) error {
	n, err := engine.Affected(tx.Tx.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", through, table))
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = tx.Tx.ExecContext(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, through)
	}
	return err
}
