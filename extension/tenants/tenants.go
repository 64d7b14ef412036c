package tenants

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
)

// DefaultMaxOpen is the default number of files a [Dir] keeps open.
const DefaultMaxOpen = 64

// erasePatience is how long a caller waits while Erase waits for the memory: who holds it may be
// that caller.
const erasePatience = 5 * time.Second

// closeWithin is how long Close waits if its context has no deadline.
const closeWithin = 5 * time.Second

// idleReader is how long a file keeps an idle read connection: the second one, or
// any if there is no background work, which reads every second.
const idleReader = 10 * time.Second

// Config configures the memories of a folder. The zero value, and nil, suit most
// hosts.
type Config struct {
	// Memory is the config of every memory. Its Key protects the file names and
	// encrypts the files, each with a derived key. Default nil.
	Memory *extension.Config
	// MaxOpen bounds the open files. Each takes up to about 20 file descriptors and
	// 2 MB. Default 64.
	MaxOpen int
}

// Dir is a folder of memories with one file for each tenant, so that even a faulty
// query cannot return another tenant's data and a tenant can be backed up, moved or
// deleted as a file. It is safe for concurrent use.
//
// The folder does not reveal tenants' names; [Dir.Tenants] lists them. Files are
// opened on demand. When MaxOpen is reached, the least recently used one that is
// not held is closed. An hourly round opens closed files for their nights.
type Dir struct {
	path    string
	cfg     extension.Config
	now     func() time.Time // guarded cfg.Now
	maxOpen int
	names   *fileNames
	limiter *schema.Limiter // for background work of all files

	mu      sync.Mutex
	open    map[string]*heldFile // by file name
	erasing map[string]int       // by file name: calls of Erase, for which acquire waits
	idle    *list.List           // of *heldFile without holders, least recently used first
	uses    uint64
	changed chan struct{} // closed and replaced when a file is closed or released
	closing bool

	rounds rounds
}

// heldFile is a file that is open, opening or closing, and its number of holders.
type heldFile struct {
	name    string
	ready   chan struct{} // closed when x or err is set
	x       *extension.Extension
	err     error
	holders int
	gone    bool          // closing: acquire must look again
	at      *list.Element // position in idle
	used    uint64        // Dir.uses at its last use by a host; 0: none
}

// Open opens a folder of memories, creating it if it does not exist, and starts the
// hourly rounds. Call Close when done.
//
// Errors: [*schema.InvalidError] naming the path or the config field;
// [schema.ErrKey] in its forms for a folder that was created with another key or
// without one.
func Open(ctx context.Context, path string, config *Config) (*Dir, error) {
	var cfg Config
	if config != nil {
		cfg = *config
	}
	memories, err := cfg.Memory.WithDefaults()
	if err != nil {
		return nil, err
	}
	d := &Dir{cfg: memories, maxOpen: cfg.MaxOpen, limiter: schema.NewLimiter(), open: make(map[string]*heldFile), erasing: make(map[string]int), idle: list.New(), changed: make(chan struct{})}
	if d.now, err = schema.GuardClock("Config.Now", d.cfg.Now, d.reportClock); err != nil {
		return nil, err
	}
	switch {
	case d.maxOpen == 0:
		d.maxOpen = DefaultMaxOpen
	case d.maxOpen < 0:
		return nil, &schema.InvalidError{Field: "Config.MaxOpen", Reason: "must not be negative (0 means 64)"}
	}
	if d.path, err = prepareDir(path, d.cfg.ReadOnly); err != nil {
		return nil, err
	}
	if !d.cfg.ReadOnly {
		if err := sqlite.FinishErasures(d.path); err != nil {
			return nil, fmt.Errorf("open %s: %w", d.path, err)
		}
	}
	if d.names, err = openNames(d.path, d.cfg.Key, d.cfg.ReadOnly); err != nil {
		return nil, fmt.Errorf("open %s: %w", d.path, err)
	}
	if !d.cfg.NoBackground && !d.cfg.Night.NoSchedule {
		d.rounds.start(d)
	}
	return d, nil
}

// report passes a fault of the folder's own work to the host's hook and recovers
// from a panic in it.
func (d *Dir) report(err error) {
	_ = memory.CallHost("Hooks.OnError", func() error { d.cfg.Hooks.OnError("dir", err); return nil })
}

func (d *Dir) reportClock(err error) {
	if err != nil {
		d.report(err)
	}
}

// Tenant is the memory of one tenant. It is held open until Close. In the scopes of its
// methods and of published events an empty Tenant is this one.
type Tenant struct {
	*extension.Extension

	name string
	dir  *Dir
	file *heldFile
	once sync.Once
}

// Name returns the tenant's name.
func (t *Tenant) Name() string { return t.name }

// Close releases the memory. Do not use it or its sessions afterwards: the file may
// be closed at any time, and they would return [schema.ErrClosed]. Calling Close
// again is allowed. It never blocks and always returns nil.
func (t *Tenant) Close(context.Context) error {
	t.once.Do(func() { t.dir.release(t.file) })
	return nil
}

// Tenant opens the memory of a tenant, creating it if it does not exist. Callers
// share one open file. Close it after use, for example after each turn: opening it
// again is free while the file is open, and takes some milliseconds otherwise. If
// MaxOpen files are held, it waits for one to be released.
//
// All scopes in the file have this tenant; another one is an
// [*schema.InvalidError]. So is an empty name: a forgotten header would put all
// callers into one memory.
//
// Errors: those of [extension.Open]; [schema.ErrBusy] if [Dir.Erase] has waited for the memory
// for 5 s more; [schema.ErrClosed]; the context's error.
func (d *Dir) Tenant(ctx context.Context, name string) (*Tenant, error) {
	if strings.TrimSpace(name) == "" {
		return nil, &schema.InvalidError{Field: "tenant", Reason: "is empty; name the tenant, or open one file with extension.Open"}
	}
	if err := schema.ValidLabel("tenant", name); err != nil {
		return nil, err
	}
	f, err := d.acquire(ctx, d.names.of(name), true)
	if err != nil {
		return nil, err
	}
	if err := bind(ctx, f.x, name); err != nil {
		d.release(f)
		return nil, err
	}
	return &Tenant{Extension: f.x, name: name, dir: d, file: f}, nil
}

// acquire holds a file, opening it if it is closed. Without create it returns
// [schema.ErrNotFound] for a file that does not exist.
func (d *Dir) acquire(ctx context.Context, name string, create bool) (*heldFile, error) {
	var patience <-chan time.Time
	for {
		d.mu.Lock()
		f := d.open[name]
		switch {
		case d.closing:
			d.mu.Unlock()
			return nil, schema.ErrClosed
		case d.erasing[name] > 0: // it waits below
		case f != nil && !f.gone:
			d.hold(f)
			d.mu.Unlock()
			return d.await(ctx, f)
		case f == nil && !create && !exists(filepath.Join(d.path, name)):
			d.mu.Unlock()
			return nil, schema.ErrNotFound
		case f == nil && len(d.open) < d.maxOpen:
			f = &heldFile{name: name, ready: make(chan struct{}), holders: 1}
			d.open[name] = f
			d.mu.Unlock()
			go d.openNow(context.WithoutCancel(ctx), f) // other callers still want the file if this one gives up
			return d.await(ctx, f)
		}
		// it is closing, or there is no room
		oldest := d.idle.Front()
		changed := d.changed
		waits := fmt.Sprintf("wait until one of %d open memories is let go", d.maxOpen)
		if d.erasing[name] > 0 {
			waits = "wait until the tenant is erased"
			if patience == nil && f != nil && f.holders > 0 {
				patience = time.After(erasePatience)
			}
		} else if f == nil && oldest != nil {
			d.evict(oldest.Value.(*heldFile))
		}
		d.mu.Unlock()
		select {
		case <-changed:
		case <-patience:
			return nil, fmt.Errorf("%s, which waits for this process to let it go: %w", waits, schema.ErrBusy)
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w", waits, ctx.Err())
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// hold adds a holder. d.mu is held.
func (d *Dir) hold(f *heldFile) {
	f.holders++
	if f.at != nil {
		d.idle.Remove(f.at)
		f.at = nil
	}
}

// openNow opens a file for all callers that wait for it.
func (d *Dir) openNow(ctx context.Context, f *heldFile) {
	cfg := d.cfg
	cfg.Night.NoSchedule = true // rounds run nights, also of closed files
	f.x, f.err = extension.OpenWith(ctx, filepath.Join(d.path, f.name), &cfg, memory.Options{
		File: schema.Options{Readers: 2, IdleReader: idleReader, Limiter: d.limiter}, OnDemandNights: !d.cfg.Night.NoSchedule,
	})
	d.mu.Lock()
	close(f.ready)
	if f.holders == 0 { // all callers have given up meanwhile
		d.settle(f)
	}
	d.mu.Unlock()
}

// await waits until a file is open.
func (d *Dir) await(ctx context.Context, f *heldFile) (*heldFile, error) {
	select {
	case <-f.ready:
	case <-ctx.Done():
		d.release(f)
		return nil, ctx.Err()
	}
	if f.err != nil {
		d.release(f)
		return nil, f.err
	}
	return f, nil
}

// release removes a holder. The file stays open until its place is needed.
func (d *Dir) release(f *heldFile) { d.letGo(f, true) }

// releaseCold is release for a round, which does not count as a use: a file that only
// rounds have opened is the next to be closed.
func (d *Dir) releaseCold(f *heldFile) { d.letGo(f, false) }

func (d *Dir) letGo(f *heldFile, used bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.holders--
	if used {
		d.uses++
		f.used = d.uses
	}
	if f.holders > 0 || f.gone {
		return
	}
	select {
	case <-f.ready:
		d.settle(f)
	default: // openNow does
	}
}

// settle makes a file without holders one that may be closed, or forgets it if it could
// not be opened. d.mu is held.
func (d *Dir) settle(f *heldFile) {
	if f.err != nil {
		delete(d.open, f.name)
	} else {
		before := d.idle.Back()
		for before != nil && before.Value.(*heldFile).used > f.used {
			before = before.Prev()
		}
		if before == nil {
			f.at = d.idle.PushFront(f)
		} else {
			f.at = d.idle.InsertAfter(f, before)
		}
		if d.closing { // Close may have given up before the file was open
			d.evict(f)
		}
	}
	d.tell()
}

// tell wakes callers that wait for a change. d.mu is held.
func (d *Dir) tell() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// evict closes a file without holders in the background. d.mu is held.
func (d *Dir) evict(f *heldFile) {
	d.idle.Remove(f.at)
	f.at, f.gone = nil, true
	go func() {
		if err := f.x.Close(context.Background()); err != nil {
			d.report(fmt.Errorf("close %s: %w", f.name, err))
		}
		d.mu.Lock()
		delete(d.open, f.name)
		d.tell()
		d.mu.Unlock()
	}()
}

// Close ends the rounds and closes all files, held ones too, within ctx's deadline
// or 5 s without one. Calling Close again is allowed.
func (d *Dir) Close(ctx context.Context) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(closeWithin)
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	d.mu.Lock()
	d.closing = true
	d.tell()
	d.mu.Unlock()
	errs := []error{d.rounds.stop(ctx)}
	var mu sync.Mutex
	var files sync.WaitGroup
	d.mu.Lock()
	for _, f := range d.open {
		files.Go(func() {
			err := d.closeFile(ctx, f)
			mu.Lock()
			errs = append(errs, err)
			mu.Unlock()
		})
	}
	d.mu.Unlock()
	files.Wait()
	return errors.Join(errs...)
}

// closeFile closes a file that may be held, opening or closing.
func (d *Dir) closeFile(ctx context.Context, f *heldFile) error {
	select {
	case <-f.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if f.err != nil {
		return nil //nolint:nilerr // returned to the caller that asked for it
	}
	if err := f.x.Close(ctx); err != nil {
		return fmt.Errorf("close %s: %w", f.name, err)
	}
	return nil
}
