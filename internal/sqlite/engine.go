package sqlite

import (
	"context"
	"math"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
)

// Engine returns the database as [engine.DB].
func (db *DB) Engine() engine.DB { return engineDB{db} }

type engineDB struct{ *DB }

// WriteQueued implements [engine.DB].
func (db engineDB) WriteQueued(ctx context.Context, queued func(), fn func(context.Context, engine.Tx) error) error {
	return db.DB.WriteQueued(ctx, queued, func(ctx context.Context, tx *Tx) error { return fn(ctx, tx) })
}

// Read implements [engine.DB].
func (db engineDB) Read(ctx context.Context, fn func(context.Context, engine.Snapshot) error) error {
	return db.DB.Read(ctx, func(ctx context.Context, s *Snapshot) error { return fn(ctx, s) })
}

// Capabilities implements [engine.DB].
func (db *DB) Capabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "sqlite", File: true, RawErasure: true, Encryption: true, TextIndex: true}
}

// LeaseTime implements [engine.Tx]: processes that share a file share a clock.
func (*Tx) LeaseTime(context.Context) (time.Time, error) { return time.Now(), nil }

// LeaseTime implements [engine.Snapshot].
func (*Snapshot) LeaseTime(context.Context) (time.Time, error) { return time.Now(), nil }

// Settled implements [engine.Snapshot]: writes run one by one.
func (*Snapshot) Settled(context.Context) (int64, error) { return math.MaxInt64, nil }

// Statement implements [engine.Snapshot], for a statement that is used at once.
func (s *Snapshot) Statement(query string) (stmt engine.Statement, err error) {
	err = s.Statements(context.Background(), func(p *engine.Statements) error {
		stmt, err = p.Statement(query)
		return err
	})
	return stmt, err
}

// Querier is [engine.Querier].
type Querier = engine.Querier
