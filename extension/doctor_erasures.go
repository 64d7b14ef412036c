package extension

import (
	"context"
	"fmt"
)

// openErasures looks for erasures that a crash or a reader has held up.
func (e *examination) openErasures(ctx context.Context) {
	const name = "erasures"
	var rows, logged int64
	if err := e.db.QueryRowContext(ctx, "SELECT count(*) FILTER (WHERE state <> 'logged'), count(*) FILTER (WHERE state = 'logged') FROM erasures WHERE state <> 'done'").
		Scan(&rows, &logged); err != nil {
		e.note(name, CheckDamaged, err.Error(), fixRestore)
		return
	}
	if rows+logged == 0 {
		e.note(name, CheckOK, "", "")
		return
	}
	e.note(name, CheckWarning, fmt.Sprintf("%d not finished, of %d more the write-ahead log holds old pages", rows, logged),
		"end what reads FILE for long; whatever opens it for writing finishes them")
}
