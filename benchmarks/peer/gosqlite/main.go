// Gosqlite is the floor on SQLite translated to Go, modernc.org/sqlite.
package main

import (
	_ "modernc.org/sqlite"

	"github.com/ebbmem/ebb/benchmarks/floor"
	"github.com/ebbmem/ebb/benchmarks/peer"
)

func main() {
	peer.Serve(&floor.Memory{Driver: "sqlite", DSN: func(path string) string { return "file:" + path + "?_txlock=immediate" }})
}
