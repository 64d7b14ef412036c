package tenants

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// Receipt reports the erasure of a tenant.
type Receipt struct {
	Tenant   string              `json:"tenant"`
	Files    []sqlite.ErasedFile `json:"files"` // overwritten and deleted
	ErasedAt time.Time           `json:"erased_at"`
	// OutOfReach lists where ebb cannot erase copies, with advice for each,
	// starting with those beside the file.
	OutOfReach []erase.Reach `json:"out_of_reach"`
}

// Erase permanently deletes a tenant: it closes the tenant's file, overwrites it
// and its side files, and deletes them. SQLite deletes the write-ahead log, without
// overwriting it, when the file is closed. Erase waits until the memory is not
// held; calls of [Dir.Tenant] for it wait until Erase is done, or for 5 s while the memory is
// held, since the holder may be the caller. The hourly round passes over it.
//
// Nothing of the tenant is kept, so unlike [extension.Extension.Erase] it leaves no
// tombstones. Opening the tenant again creates an empty memory that accepts any
// event and any import.
//
// Errors: [*schema.InvalidError]; [schema.ErrNotFound] for a tenant without a file;
// [schema.ErrReadOnly]; [schema.ErrBusy] if another process has the file open;
// [schema.ErrClosed]; the context's error while the memory is held; [schema.ErrIO].
// The next [Open], or another call of Erase, finishes an erasure that failed or was
// killed.
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
	files, err := sqlite.EraseFile(path)
	receipt := &Receipt{Tenant: tenant, Files: files, ErasedAt: d.now()}
	copies, listing := sqlite.CopiesBeside(path)
	receipt.OutOfReach = erase.OutOfReach(copies)
	if err = errors.Join(err, listing); err != nil {
		return receipt, err
	}
	return receipt, nil
}

// withdraw closes a file and keeps it closed until giveBack is called.
func (d *Dir) withdraw(ctx context.Context, name string) (giveBack func(), err error) {
	d.mu.Lock()
	d.erasing[name]++
	d.mu.Unlock()
	admit := func() {
		d.mu.Lock()
		if d.erasing[name]--; d.erasing[name] == 0 {
			delete(d.erasing, name)
		}
		d.tell()
		d.mu.Unlock()
	}
	defer func() {
		if err != nil {
			admit()
		}
	}()
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
				d.mu.Unlock()
				admit()
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
