package extension

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// DefaultMaxOpen is how many files of a [Dir] are open at once.
const DefaultMaxOpen = 64

// idleReader is how long a file keeps a second reader, and one at all where
// nothing works behind: that looks into the file every second.
const idleReader = 10 * time.Second

// DirConfig says how the memories of a folder work. The zero value, and nil,
// are right for most hosts.
type DirConfig struct {
	// Memory is the config of every memory. Its Key encrypts the files, each
	// under a key of its own, and the names of the files. Default nil.
	Memory *Config
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
// room, least recently used first, and never while somebody holds them. Nights
// come for all files: an hourly round opens the ones that are closed.
type Dir struct {
	path    string
	cfg     Config
	now     func() time.Time // cfg.Now, guarded
	maxOpen int
	names   *fileNames
	turns   *schema.Turns // of what the files do behind their tenants

	mu      sync.Mutex
	open    map[string]*heldFile // by name in the folder
	idle    *list.List           // of *heldFile that nobody holds, least recently used first
	changed chan struct{}        // closed and replaced when a file was closed or let go
	closing bool

	rounds rounds
}

// heldFile is a file that is open, being opened or being closed, with its
// holders.
type heldFile struct {
	name    string
	ready   chan struct{} // closed when x or err is there
	x       *Extension
	err     error
	holders int
	gone    bool          // being closed: ask again
	at      *list.Element // in idle
}

// OpenDir opens a folder of memories, creating it when there is none, and
// starts the rounds that keep nights for all of them. Close it.
//
// Errors: [*InvalidError] naming the path or the field of the config; [ErrKey]
// in its forms, for a folder that was made with another key or without.
func OpenDir(ctx context.Context, path string, config *DirConfig) (*Dir, error) {
	var cfg DirConfig
	if config != nil {
		cfg = *config
	}
	d := &Dir{cfg: cfg.Memory.withDefaults(), maxOpen: cfg.MaxOpen, turns: schema.NewTurns(), open: make(map[string]*heldFile), idle: list.New(), changed: make(chan struct{})}
	if err := d.cfg.validate(); err != nil {
		return nil, err
	}
	var err error
	if d.now, err = schema.GuardClock("Config.Now", d.cfg.Now, d.reportClock); err != nil {
		return nil, err
	}
	switch {
	case d.maxOpen == 0:
		d.maxOpen = DefaultMaxOpen
	case d.maxOpen < 0:
		return nil, &InvalidError{Field: "DirConfig.MaxOpen", Reason: "must not be negative (0 means 64)"}
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
	if !d.cfg.NoBackground && !d.cfg.NoSchedule {
		d.rounds.start(d)
	}
	return d, nil
}

// report tells the host of a fault of the folder's own work. A hook that panics
// ends neither it nor the process.
func (d *Dir) report(err error) {
	_ = guarded("Hooks.OnError", func() error { d.cfg.Hooks.OnError("dir", err); return nil })
}

func (d *Dir) reportClock(err error) {
	if err != nil {
		d.report(err)
	}
}

// Tenant is the memory of one tenant, held open until it is closed.
type Tenant struct {
	*Extension

	name string
	dir  *Dir
	file *heldFile
	once sync.Once
}

// Name is the tenant's name.
func (t *Tenant) Name() string { return t.name }

// Close lets the memory go. What it gave out, its sessions too, must not be
// used any more: the file may be closed at any time, and they would fail with
// [ErrClosed]. Closing again is fine. It never waits; the error is always nil.
func (t *Tenant) Close(context.Context) error {
	t.once.Do(func() { t.dir.release(t.file) })
	return nil
}

// Session gives the memory as one conversation of one user of the tenant sees
// it; the scope's tenant is the file's, and may be left empty.
func (t *Tenant) Session(scope Scope) (*Session, error) {
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
// Every scope in the file has this tenant; another is an [*InvalidError].
//
// Errors: those of [Open]; [ErrClosed]; the context's error.
func (d *Dir) Tenant(ctx context.Context, name string) (*Tenant, error) {
	if err := schema.ValidLabel("tenant", name); err != nil {
		return nil, err
	}
	f, err := d.acquire(ctx, d.names.of(name), true)
	if err != nil {
		return nil, err
	}
	if err := f.x.bindTenant(ctx, name); err != nil {
		d.release(f)
		return nil, err
	}
	return &Tenant{Extension: f.x, name: name, dir: d, file: f}, nil
}

// acquire holds a file, opening it when it is closed, and making it only when
// create says so: [ErrNotFound] tells of one that was erased.
func (d *Dir) acquire(ctx context.Context, name string, create bool) (*heldFile, error) {
	for {
		d.mu.Lock()
		f := d.open[name]
		switch {
		case d.closing:
			d.mu.Unlock()
			return nil, ErrClosed
		case f != nil && !f.gone:
			d.hold(f)
			d.mu.Unlock()
			return d.await(ctx, f)
		case f == nil && !create && !exists(filepath.Join(d.path, name)):
			d.mu.Unlock()
			return nil, ErrNotFound
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

// openNow opens a file for everybody who waits for it.
func (d *Dir) openNow(ctx context.Context, f *heldFile) {
	cfg := d.cfg
	cfg.NoSchedule, cfg.wakeful = true, !d.cfg.NoSchedule // the rounds do it, for the closed ones too
	// Who asked first may give up; the others still want it.
	f.x, f.err = open(context.WithoutCancel(ctx), filepath.Join(d.path, f.name), &cfg, schema.Options{Readers: 2, IdleReader: idleReader, Turns: d.turns})
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

// releaseCold is release of a file that nobody in particular asked for: it is
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

// evict closes a file that nobody holds, in the background. The caller has the
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
		return nil //nolint:nilerr // whoever asked for it was told
	}
	if err := f.x.Close(ctx); err != nil {
		return fmt.Errorf("close %s: %w", f.name, err)
	}
	return nil
}
