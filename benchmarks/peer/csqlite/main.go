// Csqlite is the floor on SQLite as C, through mattn/go-sqlite3. Build it with
// -tags sqlite_fts5.
package main

import (
	_ "github.com/mattn/go-sqlite3"

	"github.com/ebbmem/ebb/benchmarks/floor"
	"github.com/ebbmem/ebb/benchmarks/peer"
)

func main() {
	peer.Serve(&floor.Memory{Driver: "sqlite3", DSN: func(path string) string { return "file:" + path + "?_txlock=immediate" }})
}
