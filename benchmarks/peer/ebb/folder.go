package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/tenants"
)

// folder is ebb with a file for each user, who is a tenant: each turn and each
// search holds the file only while it lasts.
type folder struct {
	options

	maxOpen int
	dir     *tenants.Dir
	written map[string]*bytes.Buffer
	busy    map[string]bool // tenants whose file may have work left
}

func (f *folder) Open(ctx context.Context, dir string) (err error) {
	f.dir, err = tenants.Open(ctx, filepath.Join(dir, "memories"), &tenants.Config{Memory: f.config(), MaxOpen: f.maxOpen})
	f.busy = make(map[string]bool)
	return err
}

// with holds a tenant's memory.
func (f *folder) with(ctx context.Context, tenant string, use func(*tenants.Tenant) error) error {
	t, err := f.dir.Tenant(ctx, tenant)
	if err != nil {
		return err
	}
	return errors.Join(use(t), t.Close(ctx))
}

func (f *folder) Written(turns []workload.Turn) (err error) {
	f.written, err = byUser(turns)
	return err
}

func (f *folder) Load(ctx context.Context, _ []workload.Turn) error {
	for user, lines := range f.written {
		err := f.with(ctx, user, func(t *tenants.Tenant) error {
			return load(ctx, t.Extension, extension.Scope{Tenant: user, User: user}, lines)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) Insert(ctx context.Context, turn workload.Turn) error {
	f.busy[turn.User] = true
	return f.with(ctx, turn.User, func(t *tenants.Tenant) error {
		return t.Bus().Publish(ctx, message(extension.Scope{Tenant: turn.User, User: turn.User, Session: turn.Session}, turn))
	})
}

func (f *folder) Search(ctx context.Context, user, query string) (found peer.Found, err error) {
	f.busy[user] = true
	err = f.with(ctx, user, func(t *tenants.Tenant) error {
		found, err = search(ctx, t.Extension, extension.Scope{Tenant: user, User: user}, query)
		return err
	})
	return found, err
}

// Settle waits for what the turns have left to do.
func (f *folder) Settle(ctx context.Context) error {
	for tenant := range f.busy {
		if err := f.with(ctx, tenant, func(t *tenants.Tenant) error { return t.WaitIdle(ctx) }); err != nil {
			return err
		}
	}
	clear(f.busy)
	return nil
}

func (f *folder) Close(ctx context.Context) error { return f.dir.Close(ctx) }
