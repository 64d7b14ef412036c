package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/inspect"
)

// finding is the result of a check.
type finding struct {
	state       State
	detail, fix string
}

func fine(detail string) finding         { return finding{OK, detail, ""} }
func warning(detail, fix string) finding { return finding{Warning, detail, fix} }
func moment(at time.Time) string         { return at.UTC().Format(time.RFC3339) }
func listing(found []string, fix string) finding {
	if len(found) == 0 {
		return fine("")
	}
	return warning(strings.Join(found, "; "), fix)
}

// background checks pending and failed background work.
func (e *examination) background(ctx context.Context, q schema.Querier) {
	for _, c := range []struct {
		name string
		look func(context.Context, schema.Querier) (finding, error)
	}{
		{"journal", journal}, {"consumers", consumers}, {"background work", failures}, {"nights", nights},
		{"quarantine", quarantine}, {"erasures", erasures},
	} {
		found, err := c.look(ctx, q)
		if err != nil {
			e.unread(c.name, err, fixPages)
			continue
		}
		e.note(c.name, found.state, found.detail, found.fix)
	}
}

// journal checks for events that background work has not handled.
func journal(ctx context.Context, q schema.Querier) (finding, error) {
	backlog, err := eventbus.ReadBacklog(ctx, q, memory.Consumers, 0)
	if err != nil || backlog.Waiting == 0 {
		return fine(""), err
	}
	waiting := fmt.Sprintf("%d events wait", backlog.Waiting)
	if backlog.Waiting == 1 {
		waiting = "1 event waits"
	}
	return warning(fmt.Sprintf("%s to be worked through, the oldest since %s", waiting, moment(backlog.Since)),
		"a program with background work that opens FILE does it: its names, links and counts lag until then"), nil
}

// consumers checks for parked and repeatedly failing events.
func consumers(ctx context.Context, q schema.Querier) (finding, error) {
	all, err := eventbus.ReadConsumers(ctx, q)
	var found []string
	for _, c := range all {
		if c.Parked+c.Retrying == 0 {
			continue
		}
		c.LastError = cmp.Or(c.LastError, "none")
		found = append(found, fmt.Sprintf("%s: %d parked, %d retrying, last error: %s", c.Name, c.Parked, c.Retrying, c.LastError))
	}
	return listing(found, "mend the cause; what is parked is tried again with the bus's Retry or Replay"), err
}

// mostFailures is how many failures of background work are listed.
const mostFailures = 20

// failures checks for failing background work.
func failures(ctx context.Context, q schema.Querier) (finding, error) {
	all, err := schema.Failures(ctx, q)
	var found []string
	for _, f := range all[:min(len(all), mostFailures)] {
		found = append(found, fmt.Sprintf("%s failed %d times, last %s: %s", f.Source, f.Count, moment(f.LastAt.Time), f.Error))
	}
	return listing(found, "mend the cause; the work is tried again by itself"), err
}

// nights checks for failed runs, batches given up, and missed nights, independent
// of the hour at which the host runs them.
func nights(ctx context.Context, q schema.Querier) (finding, error) {
	n, err := inspect.ReadNights(ctx, q, consolidate.MaxAttempts)
	if err != nil {
		return finding{}, err
	}
	clock := memory.NightClock{Now: time.Now(), Location: time.Local, At: 24*time.Hour - time.Minute}
	overdue, through, err := clock.MostOverdue(ctx, q)
	if err != nil {
		return finding{}, err
	}
	var found, fix, detail []string
	if overdue > 0 {
		found = append(found, fmt.Sprintf("%d nights are overdue for the user furthest behind; the last that was completed is of %s", overdue, through))
		fix = append(fix, "a program that keeps the schedule catches up when it opens FILE")
	}
	if n.Failed > 0 {
		found = append(found, fmt.Sprintf("the last run failed for %d of the users: %s", n.Failed, n.Reason))
		fix = append(fix, "mend the cause and run ebb consolidate")
	}
	if n.GivenUp > 0 {
		found = append(found, fmt.Sprintf("%d batches of messages were given up after %d attempts: %s", n.GivenUp, consolidate.MaxAttempts, n.LastError))
		fix = append(fix, "the messages are stored and found; another model may draw facts from them")
	}
	if len(found) > 0 {
		return warning(strings.Join(found, "; "), strings.Join(fix, "; ")), nil
	}
	if through != "" {
		detail = append(detail, "the last that was completed is of "+through)
	}
	if n.Waiting > 0 {
		detail = append(detail, fmt.Sprintf("%d batches of messages were left out and are tried again", n.Waiting))
	}
	if n.Faults > 0 {
		detail = append(detail, fmt.Sprintf("%d calls of the model failed or brought nothing usable, over all nights", n.Faults))
	}
	return fine(strings.Join(detail, "; ")), nil
}

// quarantine counts the quarantined memories.
func quarantine(ctx context.Context, q schema.Querier) (finding, error) {
	n, err := inspect.Quarantined(ctx, q)
	if err != nil || n == 0 {
		return fine(""), err
	}
	return fine(fmt.Sprintf("quarantined memories: %d; `ebb quarantine` lists them", n)), nil
}

// erasures checks for unfinished erasures and for erased text in old pages of the
// log.
func erasures(ctx context.Context, q schema.Querier) (finding, error) {
	open, unfinished, err := erase.CountOpen(ctx, q)
	if err != nil || open == 0 {
		return fine(""), err
	}
	return warning(fmt.Sprintf("%d not finished, of %d more the write-ahead log holds old pages", unfinished, open-unfinished),
		"end what reads FILE for long; whatever opens it for writing finishes them"), nil
}

// embedding checks for texts without a vector.
func (e *examination) embedding(ctx context.Context, db *schema.DB) {
	const name = "embedding"
	stats, err := schema.Get(ctx, db, embed.StoredStats)
	switch {
	case err != nil:
		e.unread(name, err, fixPages)
	case stats == nil:
		e.note(name, OK, "", "") // no model ever made one
	case stats.Pending > 0:
		e.note(name, Warning, fmt.Sprintf("%d of %d texts have no vector of %s, the oldest since %s", stats.Pending, stats.Chunks, stats.Model, moment(stats.Since)),
			"a program with that embedder makes them when it opens FILE; searches find these texts by their words alone until then")
	default:
		e.note(name, OK, fmt.Sprintf("%d texts have one of %s", stats.Chunks, stats.Model), "")
	}
}

// log checks the size of the write-ahead log and for a reader that prevents
// checkpoints.
func (e *examination) log(ctx context.Context, db *schema.DB) {
	const name = "write-ahead log"
	held, err := db.LogHeld(ctx)
	detail := fmt.Sprintf("%d bytes", size(e.path+"-wal"))
	switch {
	case err != nil:
		e.note(name, Skipped, err.Error(), "")
	case held > 0:
		e.note(name, Warning, fmt.Sprintf("%s; a reader keeps %d pages of it from being moved into the file", detail, held),
			"end what reads FILE for long: the log grows until then")
	default:
		e.note(name, OK, detail, "")
	}
}

// losses checks the mark beside the file and losses noticed by earlier opens.
func (e *examination) losses(ctx context.Context, db *schema.DB) {
	const name = "end of the log"
	losses, err := db.Losses(ctx)
	var found []string
	for i := range losses {
		found = append(found, losses[i].Error())
	}
	switch {
	case err != nil:
		e.note(name, Skipped, err.Error(), "")
	case len(found) > 0:
		e.note(name, Damaged, strings.Join(found, "; "),
			"restore a backup that has them, or, if they are gone for good or were meant to go, `ebb doctor --acknowledge-losses FILE`")
	case size(e.path+"-wal") > 0 && size(e.path+"-mark") == 0:
		e.note(name, OK, "there is no mark file beside the log; it is created in the first second of writing. Whether whole commits were cut off the end of the log cannot be known", "")
	default:
		e.note(name, OK, "", "")
	}
}
