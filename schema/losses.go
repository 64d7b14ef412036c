package schema

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/sqlite"
)

// Loss records that a file contained less when it was opened than before: the end of its
// write-ahead log is missing, or an older copy replaced it. It is reported until it is
// acknowledged.
type Loss struct {
	bun.BaseModel `bun:"table:losses"`

	ID        int64 `bun:",pk,autoincrement" json:"id"` // 0: found by a read-only open and not stored
	NoticedAt Time  `bun:",notnull" json:"noticed_at"`
	MarkedAt  Time  `bun:",notnull" json:"marked_at"` // when the file was last known to hold more
	// Gone lists the missing rows by table. Rows of the second after MarkedAt may be
	// missing too.
	Gone           map[string]Gone `bun:"type:json,notnull" json:"gone"`
	AcknowledgedAt Time            `json:"acknowledged_at,omitzero"`
}

// Gone is a range of row numbers: from After+1 through Through.
type Gone = sqlite.Gone

// Error describes the missing rows and the possible causes.
func (l *Loss) Error() string {
	if g, counted := l.Gone[sqlite.LostFrames]; counted {
		return fmt.Sprintf("the write-ahead log (-wal) beside the file is damaged: of %d frames with whole commits only the first %d can be read, what the others held is lost", g.Through, g.After)
	}
	var spans []string
	for _, table := range slices.Sorted(maps.Keys(l.Gone)) {
		g := l.Gone[table]
		spans = append(spans, fmt.Sprintf("%s %d to %d", table, g.After+1, g.Through))
	}
	return fmt.Sprintf("the file held more on %s than it does now: %s are not there; its write-ahead log (-wal) was damaged, cut or removed, or an older copy of the memory was put in its place",
		l.MarkedAt.Format(time.RFC3339), strings.Join(spans, ", "))
}

// Losses returns the losses that are not acknowledged, oldest first.
//
// Errors: those of [DB.Read].
func (db *DB) Losses(ctx context.Context) (losses []Loss, err error) {
	err = db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
		return s.NewSelect().Model(&losses).Where("acknowledged_at IS NULL").Order("id").Scan(ctx)
	})
	if seen := db.UnrecordedLoss(); seen != nil && err == nil {
		losses = append(losses, Loss{NoticedAt: At(seen.NoticedAt), MarkedAt: At(seen.MarkedAt), Gone: seen.Gone})
	}
	return losses, err
}

// AcknowledgeLosses marks all recorded losses as acknowledged and returns their number.
// They stay in the file, with the time.
//
// Errors: those of [DB.Write].
func (db *DB) AcknowledgeLosses(ctx context.Context) (n int64, err error) {
	err = db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		n, err = engine.Affected(tx.Exec(ctx, "UPDATE losses SET acknowledged_at = ? WHERE acknowledged_at IS NULL", At(tx.Now)))
		return err
	})
	return n, err
}
