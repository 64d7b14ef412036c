package extension

import (
	"context"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// log looks at the size of the write-ahead log and for a reader that keeps it
// from being moved into the file.
func (e *examination) log(ctx context.Context, db *schema.DB) {
	const name = "write-ahead log"
	held, err := db.LogHeld(ctx)
	detail := fmt.Sprintf("%d bytes", size(e.path+"-wal"))
	switch {
	case err != nil:
		e.note(name, CheckSkipped, err.Error(), "")
	case held > 0:
		e.note(name, CheckWarning, fmt.Sprintf("%s; a reader keeps %d pages of it from being moved into the file", detail, held),
			"end what reads FILE for long: the log grows until then")
	default:
		e.note(name, CheckOK, detail, "")
	}
}

// journal looks for what was stored and not yet worked through.
func (e *examination) journal(ctx context.Context) {
	const name = "journal"
	var waiting int64
	var since schema.Time
	if err := e.db.QueryRowContext(ctx, `SELECT count(*), min(e.recorded_at) FROM events e
		JOIN (SELECT ?1 AS topic, min(coalesce((SELECT cursor FROM consumers WHERE name = ?2), 0), coalesce((SELECT cursor FROM consumers WHERE name = ?5), 0)) AS cursor
			UNION ALL SELECT ?3, coalesce((SELECT cursor FROM consumers WHERE name = ?4), 0)) c ON e.topic = c.topic AND e.seq > c.cursor`,
		eventbus.TopicMemoryStored, memory.EnrichConsumer, eventbus.TopicMemoryRecalled, memory.RecalledConsumer, memory.SaidConsumer).Scan(&waiting, &since); err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	if waiting == 0 {
		e.note(name, CheckOK, "", "")
		return
	}
	e.note(name, CheckWarning, fmt.Sprintf("%d events wait to be worked through, the oldest since %s", waiting, moment(since)),
		"a program with background work that opens FILE does it: its names, links and counts lag until then")
}

// embedding looks for texts that wait for their vector.
func (e *examination) embedding(ctx context.Context, db *schema.DB) {
	const name = "embedding"
	var stats *embed.Stats
	err := db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		stats, err = embed.StoredStats(ctx, s)
		return err
	})
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case stats == nil:
		e.note(name, CheckOK, "", "") // no model ever made one
	case stats.Pending > 0:
		e.note(name, CheckWarning, fmt.Sprintf("%d of %d texts have no vector of %s, the oldest since %s", stats.Pending, stats.Chunks, stats.Model, moment(schema.At(stats.Since))),
			"a program with that embedder makes them when it opens FILE; searches find these texts by their words alone until then")
	default:
		e.note(name, CheckOK, fmt.Sprintf("%d texts have one of %s", stats.Chunks, stats.Model), "")
	}
}

// overdue looks for nights that nobody has run, whatever hour the host runs
// them at.
func (e *examination) overdue(ctx context.Context) (most int64, through string, err error) {
	rows, err := e.db.QueryContext(ctx, memory.FurthestBehind)
	if err != nil {
		return 0, "", err
	}
	return memory.NightClock{Now: time.Now(), Location: time.Local, At: 24*time.Hour - time.Minute}.MostOverdue(rows)
}

// quarantine counts what is set aside.
func (e *examination) quarantine(ctx context.Context) {
	const name = "quarantine"
	var n int64
	err := e.db.QueryRowContext(ctx, "SELECT count(*) FROM memories WHERE state = 'quarantined'").Scan(&n)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case n > 0:
		e.note(name, CheckOK, fmt.Sprintf("memories set aside as instructions in disguise: %d; `ebb quarantine` lists them", n), "")
	default:
		e.note(name, CheckOK, "", "")
	}
}

func moment(at schema.Time) string { return at.UTC().Format(time.RFC3339) }
