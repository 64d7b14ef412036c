package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

// leftovers checks for what a killed creation left beside the file.
func (e *examination) leftovers() {
	const name = "leftover files"
	dir, base := filepath.Split(e.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		e.note(name, Skipped, err.Error(), "")
		return
	}
	var found []string
	for _, entry := range entries {
		if slices.ContainsFunc([]string{".new", ".scratch-", ".restored"}, func(left string) bool {
			return strings.HasPrefix(strings.TrimPrefix(entry.Name(), "."), "."+base+left) || strings.HasPrefix(entry.Name(), "."+base+left)
		}) || entry.Name() == base+"-journal" {
			found = append(found, entry.Name())
		}
	}
	for _, copy := range sqlite.UnfinishedBackups(e.path) {
		found = append(found, "a copy of the memory in "+copy)
	}
	if len(found) == 0 {
		e.note(name, OK, "", "")
		return
	}
	e.note(name, Warning, strings.Join(found, ", "), "a creation, a backup, a restore or a dry run was cut short, or is under way; the next command that opens the file for writing removes them")
}

func (e *examination) isSQLite(info os.FileInfo) (release func(), ok bool) {
	const name = "SQLite file"
	if info.Size() == 0 {
		e.note(name, Damaged, "it has no bytes at all", "remove it to start a new memory, or restore a backup")
		return nil, false
	}
	f, err := os.Open(e.path)
	if errors.Is(err, os.ErrPermission) {
		e.note(name, Skipped, err.Error(), fixPermission)
		return nil, false
	}
	if err != nil {
		e.note(name, Damaged, err.Error(), fixRestore)
		return nil, false
	}
	defer f.Close()
	parameters, release, err := sqlite.Parameters(f, e.key)
	switch {
	case errors.Is(err, schema.ErrKey):
		e.note(name, Skipped, err.Error(), "run ebb doctor with the key that belongs to FILE, if it has one: --key-file")
		return nil, false
	case err != nil:
		e.note(name, Damaged, err.Error(), fixForeign)
		return nil, false
	}
	if e.immutable {
		parameters.Set("immutable", "1")
	}
	e.name = "file:" + (&url.URL{Path: e.path}).EscapedPath() + "?" + parameters.Encode()
	e.note(name, OK, "", "")
	return release, true
}

// isMemory reports whether ebb created the file, and notes its version.
func (e *examination) isMemory(ctx context.Context) bool {
	const name = "ebb memory"
	head, err := check.ReadHead(ctx, e.db)
	switch {
	case err != nil: // SQLite reads a file without permission to write only with a -shm file beside it
		e.unread(name, err, fixRestore)
		return false
	case head.Tables < check.MainTables && head.Tables > 0:
		e.note(name, Damaged, fmt.Sprintf("only %d of %d main tables are there", head.Tables, check.MainTables), fixRestore)
		return false
	case head.Tables == 0:
		e.note(name, Damaged, "it is another program's database", "give --db another name")
		return false
	case head.Version > schema.Version:
		e.note(name, Warning, fmt.Sprintf("schema version %d; this ebb knows up to %d", head.Version, schema.Version), "use a newer ebb")
		e.list(ctx, pages)
		return false // its tables may differ
	case errors.As(e.refusal, new(*schema.VersionError)):
		e.note(name, Warning, e.refusal.Error(), "")
		return false // its tables may differ
	case head.Version < schema.Version:
		e.Refused = "" // only reading is refused; opening it for writing migrates it
		e.note(name, Warning, fmt.Sprintf("schema version %d; this ebb writes version %d", head.Version, schema.Version),
			"`ebb consolidate`, or whatever else opens FILE for writing, brings it up to date; run ebb doctor again then")
		e.list(ctx, pages)
		e.list(ctx, references)
		return false // the other checks expect the current tables
	case head.Journal != "wal" && !e.immutable:
		e.note(name, Warning, fmt.Sprintf("journal mode is %q: another program changed it", head.Journal), fixRepair)
	default:
		e.note(name, OK, fmt.Sprintf("schema version %d", head.Version), "")
	}
	return true
}
