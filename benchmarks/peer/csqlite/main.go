// Csqlite is the floor on SQLite as C, through mattn/go-sqlite3. Build it with
// -tags sqlite_fts5.
package main

import (
	"flag"

	_ "github.com/mattn/go-sqlite3"

	"github.com/ebbmem/ebb/benchmarks/floor"
	"github.com/ebbmem/ebb/benchmarks/peer"
)

func main() {
	files := flag.Int("files", 0, "give each user a file of its own, so many of them open at most")
	flag.Parse()
	dsn := func(path string) string { return "file:" + path + "?_txlock=immediate" }
	if *files > 0 {
		peer.Serve(&floor.Folder{Memory: floor.Memory{Driver: "sqlite3", DSN: dsn}, MaxOpen: *files})
		return
	}
	peer.Serve(&floor.Memory{Driver: "sqlite3", DSN: dsn})
}
