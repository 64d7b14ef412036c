package extension

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// AcknowledgeLosses takes note of every [Loss] the memory speaks of, so that it
// is said no more, and returns how many there were. That is for a host, or its
// operator, who has restored a backup, or can live without what is gone.
//
// Errors: [ErrReadOnly], the database's errors, the context's error.
func (x *Extension) AcknowledgeLosses(ctx context.Context) (int64, error) {
	return x.db.AcknowledgeLosses(ctx)
}

// tellLosses reports what the file lacks to the host's hook, at every open.
func (x *Extension) tellLosses(ctx context.Context) error {
	losses, err := x.db.Losses(ctx)
	for i := range losses {
		x.report("file", &losses[i])
	}
	return err
}

// losses looks at the mark beside the file and at what earlier opens noticed.
func (e *examination) losses(ctx context.Context, db *schema.DB) {
	const name = "end of the log"
	losses, err := db.Losses(ctx)
	var found []string
	for i := range losses {
		found = append(found, losses[i].Error())
	}
	switch {
	case err != nil:
		e.note(name, CheckSkipped, err.Error(), "")
	case len(found) > 0:
		e.note(name, CheckDamaged, strings.Join(found, "; "),
			"restore a backup that has them, or, if they are gone for good or were meant to go, `ebb doctor --acknowledge-losses FILE`")
	case size(e.path+"-wal") > 0 && size(e.path+"-mark") == 0:
		e.note(name, CheckOK, "no mark stands beside the log: it is made in the first second of writing. Whether whole commits were cut off the end of the log cannot be known", "")
	default:
		e.note(name, CheckOK, "", "")
	}
}
