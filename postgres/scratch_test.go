package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// letters counts letters, so that texts have vectors.
type letters struct{}

func (letters) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	v := make([]float32, 26)
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' {
			v[r-'a']++
		}
	}
	return v, nil
}

func (e letters) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i], _ = e.EmbedQuery(ctx, text)
	}
	return vectors, nil
}

// A night that is tried on a server does what the real one then does, and changes nothing.
// The copy that it works on holds all rows of the user and none of another, and cannot be
// read by another process.
func TestNightIsTried(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, dsn := t.Context(), memtest.Server(t)
	ext, err := extension.Open(ctx, dsn, &extension.Config{
		Embedding: extension.EmbeddingConfig{Embedder: letters{}, Model: "letters"}, Night: extension.NightConfig{NoSchedule: true},
		CoreMemory: extension.CoreMemoryConfig{Blocks: []extension.BlockSpec{{Name: "notes", Kind: extension.BlockList}}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ext.Close(context.Background())) })
	ada := extension.Scope{User: "ada", Session: "s"}
	say := func(scope extension.Scope, texts ...string) {
		for _, text := range texts {
			require.NoError(t, ext.Bus().Publish(ctx, eventbus.UserMessage(scope, text)))
			require.NoError(t, ext.WaitIdle(ctx))
		}
	}
	say(ada, "I live in Porto with Grace Hopper.", "I am allergic to walnuts.")
	_, err = ext.Consolidate(ctx, ada)
	require.NoError(t, err)
	say(ada, "I live in Lisbon now.", "My sister Grace paints.", "Forget this secret: the plumbago.")
	session, err := ext.Session(ada)
	require.NoError(t, err)
	_, err = session.Preview(ctx, "Where do I live?")
	require.NoError(t, err)
	records, err := ext.Timeline(ctx, ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	erased := slices.IndexFunc(records, func(r extension.Record) bool { return strings.Contains(r.Content, "plumbago") })
	_, err = ext.Erase(ctx, ada, extension.Erasure{Memories: []string{records[erased].UID}})
	require.NoError(t, err)
	db := ext.Parts().DB
	require.NoError(t, pgtest.Exec(dsn+"&search_path=ebb", "INSERT INTO watermarks (user_id, name, through) SELECT user_id, 'a stage', max(id) FROM memories GROUP BY user_id"))
	before := rowsOf(t, db)
	say(extension.Scope{User: "bob"}, "I live in Oslo.", "I like tea.")

	scratch, release, err := db.Scratch(ctx, ada)
	require.NoError(t, err)
	copied := rowsOf(t, scratch)
	for table, rows := range before {
		require.Equal(t, rows, copied[table], table)
	}
	for _, table := range []string{"users", "sessions", "events", "memories", "memory_sources", "chunks", "entities", "entity_aliases", "memory_entities", "embedding_generations", "vectors", "ops", "runs", "tombstones", "erasures", "watermarks"} {
		require.NotEmpty(t, copied[table], table)
	}
	require.Empty(t, copied["leases"])
	answer, err := ext.Parts().Searcher.Over(scratch).Search(ctx, ada, extension.Query{Text: "Where do I live?"})
	require.NoError(t, err)
	require.Contains(t, answer.Results[0].Memory.Content, "I live in")
	require.NoError(t, scratch.Write(ctx, func(ctx context.Context, tx *schema.Tx) error { // into the file
		_, err := tx.ExecContext(ctx, "UPDATE memories SET content = 'the quick brown fox' || content")
		return err
	}))
	files := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		require.False(t, bytes.Contains(content, []byte("walnut")) || bytes.Contains(content, []byte("quick brown")), "plain text in %s", path)
		return err
	}))
	require.Positive(t, files)
	require.NoError(t, release())

	all := rowsOf(t, db)
	dry, err := ext.ConsolidateDry(ctx, ada)
	require.NoError(t, err)
	require.True(t, dry.Dry)
	require.Equal(t, all, rowsOf(t, db))
	night, err := ext.Consolidate(ctx, ada)
	require.NoError(t, err)
	took := regexp.MustCompile(`took [^ ]+|in [0-9.]+(µs|ms|s)`)
	require.Equal(t, took.ReplaceAllString(night.Summary(), ""), took.ReplaceAllString(dry.Summary(), ""))
	for i := range night.Stages {
		require.Equal(t, night.Stages[i].Counts, dry.Stages[i].Counts)
		require.Len(t, dry.Stages[i].Outcomes, len(night.Stages[i].Outcomes))
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// rowsOf returns the rows of each table but those that are of no user.
func rowsOf(t *testing.T, db *schema.DB) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var tables []string
		if err := s.NewRaw("SELECT name FROM sqlite_schema WHERE type = 'table'").Scan(ctx, &tables); err != nil {
			return err
		}
		for _, table := range tables {
			if strings.Contains(table, "_fts") || strings.HasPrefix(table, "sqlite_") || strings.HasPrefix(table, "bun_") ||
				slices.Contains([]string{"consumers", "deliveries", "leases", "failures", "identity", "losses"}, table) {
				continue
			}
			var columns []string
			if err := s.NewRaw("SELECT name FROM pragma_table_info('"+table+"')").Scan(ctx, &columns); err != nil {
				return err
			}
			columns = slices.DeleteFunc(columns, func(name string) bool { return name == "writer" })
			rows, err := s.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table)
			if err != nil {
				return err
			}
			for rows.Next() {
				values, dest := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					dest[i] = &values[i]
				}
				if err := rows.Scan(dest...); err != nil {
					return err
				}
				all[table] = append(all[table], fmt.Sprint(values))
			}
			if err := rows.Close(); err != nil {
				return err
			}
			slices.Sort(all[table])
		}
		return nil
	}))
	return all
}
