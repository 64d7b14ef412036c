package sqlite_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func key(t testing.TB, fill string) schema.Key {
	t.Helper()
	k, err := schema.NewKey(bytes.Repeat([]byte(fill), schema.KeySize)[:schema.KeySize])
	require.NoError(t, err)
	return k
}

func openWith(t testing.TB, path string, k schema.Key) *schema.DB {
	t.Helper()
	return openPath(t, path, &schema.Options{Key: k})
}

func TestNewKey(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	for name, c := range map[string]struct {
		text []byte
		ok   bool
	}{
		"raw":                 {secret, true},
		"hexadecimal":         {[]byte(hex.EncodeToString(secret)), true},
		"with space":          {[]byte("  " + strings.ToUpper(hex.EncodeToString(secret)) + "\r\n"), true},
		"nothing":             {nil, false},
		"short":               {secret[:31], false},
		"long":                {append(secret, 'x'), false},
		"half the digits":     {[]byte(hex.EncodeToString(secret[:16])), true}, // 32 bytes long: taken as raw
		"zeroes":              {make([]byte, 32), false},
		"hexadecimal zeroes":  {bytes.Repeat([]byte("0"), 64), false},
		"not all hexadecimal": {[]byte(strings.Repeat("0g", 32)), false},
		"a password, a guess": {[]byte("correct horse battery staple"), false},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := schema.ParseKey(c.text)
			if c.ok {
				require.NoError(t, err)
				require.False(t, k.IsZero())
				return
			}
			var invalid *schema.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.True(t, k.IsZero())
			if len(c.text) > 0 {
				require.NotContains(t, err.Error(), string(c.text))
			}
		})
	}
}

func TestKeyIsCopied(t *testing.T) {
	secret := bytes.Repeat([]byte("k"), schema.KeySize)
	k, err := schema.NewKey(secret)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "memory.db")
	require.NoError(t, openWith(t, path, k).Close())
	clear(secret)
	openWith(t, path, k)
}

func TestKeyIsNeverPrinted(t *testing.T) {
	secret := "zebrafinchzebrafinchzebrafinchze"
	k, err := schema.NewKey([]byte(secret))
	require.NoError(t, err)
	db := openWith(t, filepath.Join(t.TempDir(), "memory.db"), k)
	options := schema.Options{Key: k}

	var shown strings.Builder
	for _, v := range []any{k, &k, options, &options, map[string]schema.Key{"k": k}, db} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p"} {
			fmt.Fprintf(&shown, verb+"\n", v)
		}
	}
	assert.Equal(recorder{&shown}, options, schema.Options{}) // its difference looks through unexported fields
	encoded, err := json.Marshal(map[string]any{"key": k})
	require.NoError(t, err)
	shown.Write(encoded)
	slog.New(slog.NewTextHandler(&shown, nil)).Info("opened", "key", k, "options", fmt.Sprintf("%+v", options))
	slog.New(slog.NewJSONHandler(&shown, nil)).Info("opened", "key", k)
	for _, form := range []string{secret[:6], hex.EncodeToString([]byte(secret[:6])), fmt.Sprint([]byte(secret[:3]))[1:11]} {
		require.NotContains(t, strings.ToLower(shown.String()), form)
	}
	require.Contains(t, shown.String(), "a key (not shown)")
}

// recorder is a test whose failures are kept.
type recorder struct{ *strings.Builder }

func (r recorder) Errorf(format string, args ...any) { fmt.Fprintf(r, format, args...) }

// canary is nowhere else on this machine.
const canary = "Ottoline's zebrafinch hums quietly"

func TestEncryptedFileLeaksNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.db")
	db := openWith(t, path, key(t, "one"))
	for i := range 60 {
		_, err := memtest.Say(t.Context(), db, ada, fmt.Sprintf("%s, she said for the %dth time", canary, i))
		require.NoError(t, err)
	}
	require.NoError(t, db.CopyTo(t.Context(), filepath.Join(dir, "copy.db")))
	scan := func(readable bool, names ...string) {
		t.Helper()
		for _, name := range names {
			content, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.NotEmpty(t, content, name)
			for _, plain := range []string{canary, "zebrafinch", "Ottoline", "SQLite format 3", "CREATE TABLE", "acme"} {
				require.Equal(t, readable, bytes.Contains(content, []byte(plain)), "%s: %s", name, plain)
			}
		}
	}
	scan(false, "memory.db", "memory.db-wal", "copy.db")
	require.NoError(t, db.Checkpoint(t.Context()))
	require.NoError(t, db.Close())
	scan(false, "memory.db")

	db = openWith(t, path, key(t, "one"))
	require.Equal(t, 60, memories(t, db))
	require.NoError(t, db.CopyWithKey(t.Context(), filepath.Join(dir, "clear.db"), schema.Key{}))
	scan(true, "clear.db") // the scan can find
	require.Equal(t, 60, memories(t, openWith(t, filepath.Join(dir, "clear.db"), schema.Key{})))
	require.Equal(t, 60, memories(t, openWith(t, filepath.Join(dir, "copy.db"), key(t, "one"))))
}

func TestBackupWithAnotherKey(t *testing.T) {
	dir := t.TempDir()
	plain := openWith(t, filepath.Join(dir, "plain.db"), schema.Key{})
	_, err := memtest.Say(t.Context(), plain, ada, canary)
	require.NoError(t, err)
	path := filepath.Join(dir, "sealed.db")
	require.NoError(t, plain.CopyWithKey(t.Context(), path, key(t, "one")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	once := openWith(t, path, key(t, "one"))
	_, err = memtest.Say(t.Context(), once, ada, "and more")
	require.NoError(t, err)
	again := filepath.Join(dir, "again.db")
	require.NoError(t, once.CopyWithKey(t.Context(), again, key(t, "two")))
	require.Equal(t, 2, memories(t, openWith(t, again, key(t, "two"))))
}

func TestWrongKeyChangesNothing(t *testing.T) {
	dir := t.TempDir()
	make := func(name string, k schema.Key) string {
		path := filepath.Join(dir, name)
		db := openWith(t, path, k)
		_, err := memtest.Say(t.Context(), db, ada, canary)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		return path
	}
	one := key(t, "one")
	sealed, plain := make("sealed.db", one), make("plain.db", schema.Key{})
	foreign := filepath.Join(dir, "foreign.db")
	require.NoError(t, os.WriteFile(foreign, bytes.Repeat([]byte("not a memory "), 1000), 0o600))

	for name, c := range map[string]struct {
		path string
		key  schema.Key
		want error
	}{
		"another key":              {sealed, key(t, "two"), schema.ErrKeyWrong},
		"no key":                   {sealed, schema.Key{}, schema.ErrKeyMissing},
		"a key for a plain file":   {plain, one, schema.ErrKeyUnneeded},
		"a key for a foreign file": {foreign, one, schema.ErrNotDatabase},
		"a foreign file":           {foreign, schema.Key{}, schema.ErrNotDatabase},
	} {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprint(name, readOnly), func(t *testing.T) {
				before := content(t, dir)
				db, err := schema.Open(t.Context(), c.path, &schema.Options{Key: c.key, ReadOnly: readOnly})
				require.Nil(t, db)
				require.ErrorIs(t, err, c.want)
				require.Equal(t, !errors.Is(c.want, schema.ErrNotDatabase), errors.Is(err, schema.ErrKey))
				require.Equal(t, before, content(t, dir))
			})
		}
	}
}

// content is every file of a folder.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := make(map[string]string)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(b)
	}
	return all
}

func TestEncryptedFileReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	one := key(t, "one")
	done := make(chan error)
	for i := range 8 {
		go func() {
			db, err := schema.Open(t.Context(), path, &schema.Options{Key: one})
			if err == nil {
				_, err = memtest.Say(t.Context(), db, ada, fmt.Sprint("message ", i))
				err = errors.Join(err, db.Close())
			}
			done <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-done)
	}
	looking, err := schema.Open(t.Context(), path, &schema.Options{Key: one, ReadOnly: true})
	require.NoError(t, err)
	require.Equal(t, 8, memories(t, looking))
	require.NoError(t, looking.Close())
	require.NoError(t, openWith(t, path, one).Close()) // of two that close at once, neither may remove the log
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{path}, beside, "no log, no temporary name stays")
}

func TestHalfOfSealLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	one := key(t, "one")
	db := openWith(t, path, one)
	_, err := memtest.Say(t.Context(), db, ada, canary)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, at := range []int{0, 20, 60, 2048, 2048 + 20} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		db := openWith(t, path, one)
		require.Equal(t, 1, memories(t, db), "byte %d", at)
		require.NoError(t, db.Close())
	}
	// Cut off after the seal: what is left is no memory, and is not made one.
	require.NoError(t, os.WriteFile(path, whole[:4096], 0o600))
	_, err = schema.Open(t.Context(), path, &schema.Options{Key: one})
	require.ErrorIs(t, err, schema.ErrNotDatabase)
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, whole[:4096], left)
}

func TestEqualMemoriesDifferOnDisk(t *testing.T) {
	dir := t.TempDir()
	one := key(t, "one")
	blocks := make(map[string]string)
	for _, name := range []string{"a.db", "b.db"} {
		require.NoError(t, openWith(t, filepath.Join(dir, name), one).Close())
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		for i := 0; i+4096 <= len(content); i += 4096 {
			block := string(content[i : i+4096])
			require.Empty(t, blocks[block], "block %d of %s is one of %s", i/4096, name, blocks[block])
			blocks[block] = name
		}
	}
}

func BenchmarkEncryption(b *testing.B) {
	for _, c := range []struct {
		name string
		key  schema.Key
	}{{"plain", schema.Key{}}, {"encrypted", key(b, "one")}} {
		db := openWith(b, filepath.Join(b.TempDir(), "memory.db"), c.key)
		n := 0
		for ; n < 2000; n++ {
			_, err := memtest.Say(b.Context(), db, ada, fmt.Sprintf("message %d about nothing", n))
			require.NoError(b, err)
		}
		b.Run(c.name+"/write", func(b *testing.B) {
			for b.Loop() {
				n++
				_, err := memtest.Say(b.Context(), db, ada, fmt.Sprintf("%s, she said for the %dth time", canary, n))
				require.NoError(b, err)
			}
		})
		b.Run(c.name+"/read", func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, db.Read(b.Context(), func(ctx context.Context, s *schema.Snapshot) error {
					var bytes int
					return s.Row(ctx, "SELECT sum(length(content)) FROM (SELECT content FROM memories ORDER BY id LIMIT 2000)", nil, &bytes)
				}))
			}
		})
		b.Run(c.name+"/open", func(b *testing.B) {
			dir := b.TempDir()
			path := filepath.Join(dir, "memory.db")
			require.NoError(b, openWith(b, path, c.key).Close())
			b.ResetTimer()
			for b.Loop() {
				opened, err := schema.Open(b.Context(), path, &schema.Options{Key: c.key})
				require.NoError(b, err)
				require.NoError(b, opened.Close())
			}
		})
	}
}
