package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbmem/ebb/internal/sqlite"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// backUpUntilKilled copies some of the file at path, says so, and waits.
func backUpUntilKilled(path, target string) {
	_, err := schema.Backup(context.Background(), path, target, nil, func(int64, int64) {
		fmt.Println("copying")
		select {}
	})
	fmt.Println("error:", err)
}

// killedBackup leaves what a backup to target leaves that is killed.
func killedBackup(t *testing.T, path, target string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "EBB_SOURCE="+path, "EBB_BACKUP="+target)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "copying\n", said)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // reports the kill
}

func TestOpenRemovesKilledBackup(t *testing.T) {
	db := open(t)
	fill(t, db, 3000)
	elsewhere := t.TempDir()
	copy := filepath.Join(elsewhere, ".b.db.new")
	killedBackup(t, db.Path(), filepath.Join(elsewhere, "b.db"))
	require.FileExists(t, copy)
	require.Equal(t, []string{copy}, sqlite.UnfinishedBackups(db.Path()))
	listed, err := db.CopiesBeside()
	require.NoError(t, err)
	require.Equal(t, []string{copy}, listed)

	_, err = db.Backup(t.Context(), filepath.Join(elsewhere, "c.db"), func(int64, int64) { // one that goes on stays
		require.Equal(t, []string{filepath.Join(elsewhere, ".c.db.new")}, sqlite.UnfinishedBackups(db.Path()), "and it swept the other")
		second, err := schema.Open(t.Context(), db.Path(), nil)
		require.NoError(t, err)
		require.NoError(t, second.Close())
		require.FileExists(t, filepath.Join(elsewhere, ".c.db.new"))
	})
	require.NoError(t, err)
	require.Equal(t, []string{"c.db"}, names(t, elsewhere))

	killedBackup(t, db.Path(), filepath.Join(elsewhere, "b.db"))
	away := elsewhere + "-away" // its medium is not there
	require.NoError(t, os.Rename(elsewhere, away))
	reopen := func() {
		second, err := schema.Open(t.Context(), db.Path(), nil)
		require.NoError(t, err)
		require.NoError(t, second.Close())
	}
	reopen()
	require.Equal(t, []string{copy}, sqlite.UnfinishedBackups(db.Path()), "it is still named")
	require.NoError(t, os.Rename(away, elsewhere))
	reopen()
	require.Equal(t, []string{"c.db"}, names(t, elsewhere))
	require.Empty(t, sqlite.UnfinishedBackups(db.Path()))
	for _, name := range names(t, filepath.Dir(db.Path())) {
		require.NotContains(t, name, "backup")
	}
}

// What a note says is trusted no further than to name a copy of ours.
func TestNoteNamesOwnFileOnly(t *testing.T) {
	db := open(t)
	dir := filepath.Dir(db.Path())
	kept := filepath.Join(dir, "letter.txt")
	folder := filepath.Join(dir, ".folder.new")
	require.NoError(t, os.WriteFile(kept, []byte("Dear Ada"), 0o600))
	require.NoError(t, os.Mkdir(folder, 0o700))
	for i, said := range []string{kept, "../.x.new", "", folder, strings.Repeat("/x", 1<<16)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(".memory.db.backup-%d", i+1)), []byte(said), 0o600))
	}
	require.NoError(t, db.SweepBackups())
	require.FileExists(t, kept)
	require.DirExists(t, folder)
	require.Empty(t, sqlite.UnfinishedBackups(db.Path()))
}

func TestOpenRemovesKilledRestore(t *testing.T) {
	db := open(t)
	dir := filepath.Dir(db.Path())
	for _, name := range []string{".memory.db.restored", "..memory.db.restored.new"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("all that was ever said"), 0o600))
	}
	own := filepath.Join(dir, "memory.db.restored") // a name that somebody chose
	require.NoError(t, os.WriteFile(own, []byte("mine"), 0o600))
	listed, err := db.CopiesBeside()
	require.NoError(t, err)
	require.Len(t, listed, 2)
	second, err := schema.Open(t.Context(), db.Path(), nil)
	require.NoError(t, err)
	require.NoError(t, second.Close())
	require.NoFileExists(t, filepath.Join(dir, ".memory.db.restored"))
	require.NoFileExists(t, filepath.Join(dir, "..memory.db.restored.new"))
	require.FileExists(t, own)
}
