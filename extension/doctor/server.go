package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

const fixDump = "restore a dump of the schema that holds the tables"

// diagnoseServer examines a memory on a server: whether it opens, whether its rows fit
// together, and what it lacks that a file has.
func diagnoseServer(ctx context.Context, dsn string, key schema.Key) (_ *Diagnosis, err error) {
	e := &examination{path: "the memory", Diagnosis: Diagnosis{Path: extension.Redacted(dsn)}}
	x, err := extension.Open(ctx, dsn, &extension.Config{ReadOnly: true, Key: key})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.As(err, new(*schema.InvalidError)) { // about the name or the key
			return nil, err
		}
		e.Refused, e.refusal = err.Error(), err
		version, other := errors.AsType[*schema.VersionError](err)
		switch {
		case errors.Is(err, schema.ErrCorrupt):
			e.note("open", Damaged, e.Refused, fixDump)
		case other && version.Found > version.Supported:
			e.note("open", Warning, e.Refused, "use a newer ebb")
		case other:
			e.note("open", Warning, e.Refused, "export the memory with the ebb that wrote it and import it with this one")
		case errors.Is(err, schema.ErrReadOnly):
			e.note("open", Skipped, e.Refused, "`ebb consolidate`, or whatever else opens the memory for writing as a user who may make its tables, makes them and brings them up to date; "+
				"as a user who may read them, run ebb doctor again then")
		default:
			e.note("open", Skipped, e.Refused, "run ebb doctor again when the server can be reached and lets this user read the memory")
		}
		return &e.Diagnosis, nil
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(ctx))) }()
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
	e.Healthy = true
	if err := x.Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		for _, i := range check.Invariants {
			n, err := i.Count(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", i.Name, err)
			}
			if n > 0 {
				e.Healthy = false
				e.note(i.Name, Damaged, fmt.Sprintf("%s: %d", i.Found, n), fixDump)
			}
		}
		e.background(ctx, s)
		return nil
	}); err != nil {
		return nil, err
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
	return &e.Diagnosis, nil
}
