package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// diagnoseServer examines a memory on a server: whether it opens, whether its rows fit
// together, and what it lacks that a file has.
func diagnoseServer(ctx context.Context, dsn string, key schema.Key) (_ *Diagnosis, err error) {
	e := &examination{path: dsn, Diagnosis: Diagnosis{Path: dsn}}
	x, err := extension.Open(ctx, dsn, &extension.Config{ReadOnly: true, Key: key})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.Refused = err.Error()
		e.note("open", Damaged, e.Refused, "")
		return &e.Diagnosis, nil
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(ctx))) }()
	e.Path = x.Parts().DB.Path() // without a password
	e.note("open", OK, fmt.Sprintf("schema version %d", schema.Version), "")
	health, err := x.Health(ctx)
	if err != nil {
		return nil, err
	}
	if health.Integrity.Whole() {
		e.note("rows", OK, "memories have their text, entities are counted right", "")
	} else {
		e.note("rows", Warning, fmt.Sprintf("%d memories without text, %d entities counted wrongly", health.Integrity.Unfindable, health.Integrity.Miscounted), "")
	}
	can := x.Capabilities()
	for _, lack := range []struct {
		has          bool
		name, detail string
	}{
		{can.RawErasure, "erasure", "rows are erased; the server's write-ahead log and dead rows keep copies until it recycles and vacuums them"},
		{can.Encryption, "encryption", "ebb does not encrypt on a server: encrypt the server's disk"},
		{can.File, "backup", "ebb backup is for files: use pg_dump of the schema that holds the tables (default ebb)"},
	} {
		if !lack.has {
			e.note(lack.name, Skipped, lack.detail, "")
		}
	}
	e.Healthy = true
	return &e.Diagnosis, nil
}
