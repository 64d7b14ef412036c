package tenants

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// Receipt says what the erasure of a tenant took away.
type Receipt struct {
	Tenant   string              `json:"tenant"`
	Files    []schema.ErasedFile `json:"files"` // overwritten and deleted
	ErasedAt time.Time           `json:"erased_at"`
	// OutOfReach is where copies may be that ebb cannot erase, those beside the
	// file first, and what to do about each.
	OutOfReach []extension.Reach `json:"out_of_reach"`
}

// Erase erases a tenant for good: it closes the tenant's file, overwrites it and
// all that belongs to it, and deletes them. The write-ahead log is deleted by
// SQLite as it closes the file, and not overwritten. It waits until the memory is
// not held; callers of [Dir.Tenant] for it wait for the end.
//
// Nothing of the tenant is kept, and so nothing that would keep it away: unlike
// after [extension.Extension.Erase] no tombstone is left. Naming the tenant again makes a
// new, empty memory, which takes any event and any import.
//
// Errors: [*schema.InvalidError]; [schema.ErrNotFound] for a tenant without a file;
// [schema.ErrReadOnly]; [schema.ErrBusy] when another process has the file open; [schema.ErrClosed];
// the context's error while the memory is held; [schema.ErrIO]. An erasure that
// failed, or was killed, brings nothing back: it is finished by the next
// [Open], and by asking for it again.
func (d *Dir) Erase(ctx context.Context, tenant string) (*Receipt, error) {
	if err := schema.ValidLabel("tenant", tenant); err != nil {
		return nil, err
	}
	if d.cfg.ReadOnly {
		return nil, schema.ErrReadOnly
	}
	name := d.names.of(tenant)
	giveBack, err := d.withdraw(ctx, name)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	path := filepath.Join(d.path, name)
	files, err := schema.EraseFile(path)
	receipt := &Receipt{Tenant: tenant, Files: files, ErasedAt: d.now()}
	copies, listing := schema.CopiesBeside(path)
	receipt.OutOfReach = extension.OutOfReach(copies)
	if err = errors.Join(err, listing); err != nil {
		return receipt, err
	}
	return receipt, nil
}

// withdraw closes a file and keeps it closed until giveBack is called.
func (d *Dir) withdraw(ctx context.Context, name string) (giveBack func(), err error) {
	for {
		d.mu.Lock()
		f, changed := d.open[name], d.changed
		switch {
		case d.closing:
			d.mu.Unlock()
			return nil, schema.ErrClosed
		case f == nil:
			away := &heldFile{name: name, gone: true, ready: make(chan struct{}), err: schema.ErrClosed}
			close(away.ready)
			d.open[name] = away
			d.mu.Unlock()
			return func() {
				d.mu.Lock()
				delete(d.open, name)
				d.tell()
				d.mu.Unlock()
			}, nil
		case f.at != nil: // not held
			d.evict(f)
		}
		d.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until the tenant's memory is let go: %w", ctx.Err())
		}
	}
}
