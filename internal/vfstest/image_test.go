package vfstest

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"
)

// recorded is a recording of what do does to a folder that holds one file of
// two sectors.
func recorded(do func(r *Recording)) *Recording {
	r := &Recording{inodes: map[string]int{"a": 1}, names: map[string]int{"a": 1}, base: map[int][]byte{1: fill('0', 2)}, next: 2}
	do(r)
	return r
}

func fill(b byte, sectors int) []byte { return bytes.Repeat([]byte{b}, sectors*sector) }

// states are the different contents of a file among many images at the end.
func states(r *Recording, name string) map[string]bool {
	found := make(map[string]bool)
	for seed := range uint64(200) {
		r.Images(seed, 20, func(i *Image) bool {
			if i.Moment < r.Len() {
				return true
			}
			data, ok := i.Files[name]
			state := "missing"
			if ok {
				state = ""
				for at := 0; at < len(data); at += sector {
					state += string(data[at])
				}
			}
			found[state] = true
			return true
		})
	}
	return found
}

func set(names ...string) map[string]bool {
	s := make(map[string]bool)
	for _, n := range names {
		s[n] = true
	}
	return s
}

func TestPowerLossImages(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *Recording)
		file string
		want map[string]bool
	}{
		"what was synced is there": {func(r *Recording) {
			r.write(1, fill('1', 2), 0)
			r.sync(1, false)
		}, "a", set("11")},
		"what was not may be there, sector by sector": {func(r *Recording) {
			r.write(1, fill('1', 2), 0)
		}, "a", set("00", "01", "10", "11")},
		"a sector holds any of its versions, in any order": {func(r *Recording) {
			r.write(1, fill('1', 2), 0)
			r.write(1, fill('2', 1), 0)
		}, "a", set("00", "01", "10", "11", "20", "21")},
		"a size is one that the file had, and what was cut off may be zeroes": {func(r *Recording) {
			r.write(1, fill('1', 1), 2*sector)
			r.resize(1, sector)
			r.sync(1, false)
			r.resize(1, 0)
		}, "a", set("", "0", "\x00")},
		"a sync that failed proves nothing, nor does the next": {func(r *Recording) {
			r.write(1, fill('1', 2), 0)
			r.sync(1, true)
			r.sync(1, false)
		}, "a", set("00", "01", "10", "11")},
		"writing it again does": {func(r *Recording) {
			r.write(1, fill('1', 2), 0)
			r.sync(1, true)
			r.write(1, fill('1', 2), 0)
			r.sync(1, false)
		}, "a", set("11")},
		"a name is there when its folder is synced": {func(r *Recording) {
			r.create("b")
			r.write(2, fill('1', 1), 0)
			r.sync(2, false)
			r.syncFolder(false)
		}, "b", set("1")},
		"a name may be missing until then": {func(r *Recording) {
			r.create("b")
			r.write(2, fill('1', 1), 0)
			r.sync(2, false)
		}, "b", set("1", "missing")},
		"what was removed may be back": {func(r *Recording) {
			r.remove("a")
		}, "a", set("00", "missing")},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, states(recorded(c.do), c.file)) })
	}
}

// SQLite encounters the injected faults, and works again when they are removed.
func TestFaultsReachSQLite(t *testing.T) {
	disk := New(t)
	db, err := driver.Open("file:" + filepath.Join(t.TempDir(), "test.db") + "?vfs=" + disk.Name())
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	db.SetMaxOpenConns(1)
	exec := func(query string) error {
		_, err := db.ExecContext(t.Context(), query)
		return err
	}
	require.NoError(t, exec("PRAGMA journal_mode = wal; CREATE TABLE t (x)"))
	require.NoError(t, exec("PRAGMA synchronous = full"))
	for _, fault := range Faults {
		disk.Arm(fault, 1, Always)
		if fault == ReadError {
			require.Error(t, exec("PRAGMA wal_checkpoint(TRUNCATE); SELECT * FROM t"), "%s", fault)
		} else {
			require.Error(t, exec("INSERT INTO t VALUES (1)"), "%s", fault)
		}
		seen, struck := disk.Disarm()
		require.NotEmpty(t, struck, "%s", fault)
		require.GreaterOrEqual(t, seen, len(struck))
		require.NoError(t, exec("INSERT INTO t VALUES (2)"), "%s", fault)
	}
	var good, bad int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FILTER (WHERE x = 2), count(*) FILTER (WHERE x = 1) FROM t").Scan(&good, &bad))
	require.Equal(t, len(Faults), good)
	require.Zero(t, bad)
}
