package extension

import (
	"context"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/consolidate"
)

// nights looks at how the last nights ended and at what they gave up on.
func (e *examination) nights(ctx context.Context) {
	const name = "nights"
	var current bool
	if err := e.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'gaps')").Scan(&current); err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	if !current {
		e.note(name, CheckSkipped, "the file is older than what is looked for here", "")
		return
	}
	var failed, waiting, givenUp, faults int64
	var reason, left string
	if err := e.db.QueryRowContext(ctx, `SELECT count(*), coalesce(max(error), '') FROM runs r WHERE state = 'failed'
		AND NOT EXISTS (SELECT 1 FROM runs later WHERE later.user_id = r.user_id AND later.id > r.id AND later.cause NOT IN ('said', 'host'))`).Scan(&failed, &reason); err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	if err := e.db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE attempts < ?1), count(*) FILTER (WHERE attempts >= ?1), coalesce(max(last_error), ''),
		(SELECT coalesce(sum(faults), 0) FROM runs) FROM gaps`, consolidate.MaxAttempts).Scan(&waiting, &givenUp, &left, &faults); err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	overdue, through, err := e.overdue(ctx)
	if err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	var found, fix []string
	if overdue > 0 {
		found = append(found, fmt.Sprintf("%d nights are overdue for the user furthest behind; the last that was completed is of %s", overdue, through))
		fix = append(fix, "a program that keeps the schedule catches up when it opens FILE")
	}
	if failed > 0 {
		found = append(found, fmt.Sprintf("the last run failed for %d of the users: %s", failed, reason))
		fix = append(fix, "mend the cause and run ebb consolidate")
	}
	if givenUp > 0 {
		found = append(found, fmt.Sprintf("%d batches of messages were given up after %d attempts: %s", givenUp, consolidate.MaxAttempts, left))
		fix = append(fix, "the messages are stored and found; another model may draw facts from them")
	}
	if len(found) > 0 {
		e.note(name, CheckWarning, strings.Join(found, "; "), strings.Join(fix, "; "))
		return
	}
	var detail []string
	if through != "" {
		detail = append(detail, "the last that was completed is of "+through)
	}
	if waiting > 0 {
		detail = append(detail, fmt.Sprintf("%d batches of messages were left out and are tried again", waiting))
	}
	if faults > 0 {
		detail = append(detail, fmt.Sprintf("%d calls of the model failed or brought nothing usable, over all nights", faults))
	}
	e.note(name, CheckOK, strings.Join(detail, "; "), "")
}
