// Package postgres makes PostgreSQL available for memories. Import it for its effect:
//
//	import _ "github.com/ebbmem/ebb/postgres"
//
//	ext, err := extension.Open(ctx, "postgres://ebb@db.internal/memory", nil)
//
// The tables are made in the schema ebb, or the one that search_path names in the data
// source name. Any number of processes, on any number of machines, can open the same
// database. docs/SCALE.md says what differs from a file.
package postgres

import (
	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/postgres"
)

func init() {
	engine.Register("postgres", postgres.Open)
	engine.Register("postgresql", postgres.Open)
}
