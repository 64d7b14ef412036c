package tenants

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// DefaultMaxOpen is how many files of a [Dir] are open at once.
const DefaultMaxOpen = 64

// closeWithin is how long Close waits when its context has no deadline.
const closeWithin = 5 * time.Second

// idleReader is how long a file keeps a second reader, and one at all where there
// is no background work, which reads the file every second.
const idleReader = 10 * time.Second

// Config says how the memories of a folder work. The zero value, and nil,
// are right for most hosts.
type Config struct {
	// Memory is the config of every memory. Its Key encrypts the files, each
	// under a key of its own, and the names of the files. Default nil.
	Memory *extension.Config
	// MaxOpen is how many files are open at most. Each takes up to some 20
	// descriptors and 2 MB. Default 64.
	MaxOpen int
}

// Dir is a folder of memories: each tenant has a file of its own, so that not
// even a fault in a query shows one tenant what is another's, and a tenant can
// be backed up, moved or deleted as a file. It is safe for concurrent use.
//
// No name of a tenant can be read in the folder; [Dir.Tenants] lists them.
// Files are opened when they are asked for and closed when others need the
// room, least recently used first, and never while they are held. Nights
// come for all files: an hourly round opens the ones that are closed.
type Dir struct {
	path    string
	cfg     extension.Config
	now     func() time.Time // cfg.Now, guarded
	maxOpen int
	names   *fileNames
	limiter *schema.Limiter // of the background work of the files

	mu      sync.Mutex
	open    map[string]*heldFile // by name in the folder
	idle    *list.List           // of *heldFile that are not held, least recently used first
	changed chan struct{}        // closed and replaced when a file was closed or let go
	closing bool

	rounds rounds
}

// heldFile is a file that is open, being opened or being closed, with its
// holders.
type heldFile struct {
	name    string
	ready   chan struct{} // closed when x or err is there
	x       *extension.Extension
	err     error
	holders int
	gone    bool          // being closed: ask again
	at      *list.Element // in idle
}

// Open opens a folder of memories, creating it when there is none, and
// starts the rounds that keep nights for all of them. Close it.
//
// Errors: [*schema.InvalidError] naming the path or the field of the config; [schema.ErrKey]
// in its forms, for a folder that was made with another key or without.
func Open(ctx context.Context, path string, config *Config) (*Dir, error) {
	var cfg Config
	if config != nil {
		cfg = *config
	}
	memories, err := cfg.Memory.WithDefaults()
	if err != nil {
		return nil, err
	}
	d := &Dir{cfg: memories, maxOpen: cfg.MaxOpen, limiter: schema.NewLimiter(), open: make(map[string]*heldFile), idle: list.New(), changed: make(chan struct{})}
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
		if err := schema.FinishErasures(d.path); err != nil {
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

// report passes a fault of the folder's own work to the host's hook. A hook that
// panics ends neither the work nor the process.
func (d *Dir) report(err error) {
	_ = memory.CallHost("Hooks.OnError", func() error { d.cfg.Hooks.OnError("dir", err); return nil })
}

func (d *Dir) reportClock(err error) {
	if err != nil {
		d.report(err)
	}
}

// Tenant is the memory of one tenant, held open until it is closed.
type Tenant struct {
	*extension.Extension

	name string
	dir  *Dir
	file *heldFile
	once sync.Once
}

// Name is the tenant's name.
func (t *Tenant) Name() string { return t.name }

// Close lets the memory go. What it gave out, its sessions too, must not be
// used any more: the file may be closed at any time, and they would fail with
// [schema.ErrClosed]. Closing again is fine. It never waits; the error is always nil.
func (t *Tenant) Close(context.Context) error {
	t.once.Do(func() { t.dir.release(t.file) })
	return nil
}

// Session gives the memory as one conversation of one user of the tenant sees
// it; the scope's tenant is the file's, and may be left empty.
func (t *Tenant) Session(scope schema.Scope) (*extension.Session, error) {
	if scope.Tenant == "" {
		scope.Tenant = t.name
	}
	return t.Extension.Session(scope)
}

// Tenant opens the memory of a tenant, creating it when there is none, or
// shares the open one. Close it after use, as after each turn: opening again
// costs nothing while the file is open, and some milliseconds when it was
// closed. When MaxOpen files are in use it waits for one to be closed.
//
// Every scope in the file has this tenant; another is an [*schema.InvalidError].
//
// Errors: those of [extension.Open]; [schema.ErrClosed]; the context's error.
func (d *Dir) Tenant(ctx context.Context, name string) (*Tenant, error) {
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

// acquire holds a file, opening it when it is closed, and making it only when
// create says so: [schema.ErrNotFound] is for one that was erased.
func (d *Dir) acquire(ctx context.Context, name string, create bool) (*heldFile, error) {
	for {
		d.mu.Lock()
		f := d.open[name]
		switch {
		case d.closing:
			d.mu.Unlock()
			return nil, schema.ErrClosed
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
			d.openNow(ctx, f)
			return d.await(ctx, f)
		}
		// It is being closed, or there is no room.
		oldest := d.idle.Front()
		changed := d.changed
		if f == nil && oldest != nil {
			d.evict(oldest.Value.(*heldFile))
		}
		d.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until one of %d open memories is let go: %w", d.maxOpen, ctx.Err())
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// hold counts a holder. The caller has the lock.
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
	cfg.Night.NoSchedule = true // the rounds do it, for closed files too
	// The first caller may give up; the others still want the file.
	f.x, f.err = extension.OpenWith(context.WithoutCancel(ctx), filepath.Join(d.path, f.name), &cfg, memory.Options{
		File: schema.Options{Readers: 2, IdleReader: idleReader, Limiter: d.limiter}, OnDemandNights: !d.cfg.Night.NoSchedule,
	})
	close(f.ready)
}

// await waits for a file that is being opened.
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

// release lets a file go; it stays open until there is need for its room.
func (d *Dir) release(f *heldFile) { d.letGo(f, d.idle.PushBack) }

// releaseCold is release of a file that no caller asked for by its tenant: it is
// the first to be closed.
func (d *Dir) releaseCold(f *heldFile) { d.letGo(f, d.idle.PushFront) }

func (d *Dir) letGo(f *heldFile, push func(any) *list.Element) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.holders--
	if f.holders > 0 || f.gone {
		return
	}
	select {
	case <-f.ready:
	default: // the one who opens it holds it
		return
	}
	if f.err != nil {
		delete(d.open, f.name)
	} else {
		f.at = push(f)
	}
	d.tell()
}

// tell wakes who waits for a change. The caller has the lock.
func (d *Dir) tell() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// evict closes a file that is not held, in the background. The caller has the
// lock.
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

// Close ends the rounds and closes every file within ctx's deadline, or 5 s
// without one, also those that are held. Closing again is fine.
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

// closeFile closes a file that may be held, being opened or being closed.
func (d *Dir) closeFile(ctx context.Context, f *heldFile) error {
	select {
	case <-f.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if f.err != nil {
		return nil //nolint:nilerr // the caller that asked for it has the error
	}
	if err := f.x.Close(ctx); err != nil {
		return fmt.Errorf("close %s: %w", f.name, err)
	}
	return nil
}
