package extension

import (
	"context"
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
