package extension_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/racing"
)

// Whatever leaf pages are lost, every memory that stands in another, as a
// memory or as a message of the journal, is in the new file, which is healthy.
func TestSalvageBringsBackEverythingOutsideTheDamage(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	stocked(t)
	var leaves []int
	for i := 1; i < len(stockedFile)/pageSize; i++ {
		page := stockedFile[i*pageSize : (i+1)*pageSize]
		listOfTables := bytes.Contains(page, []byte("CREATE TABLE")) || bytes.Contains(page, []byte("CREATE INDEX"))
		if (page[0] == 13 || page[0] == 10) && !listOfTables { // a table that is not listed cannot be read
			leaves = append(leaves, i)
		}
	}
	texts := everyText(t, stocked(t))
	all, outside, saved := 0, 0, 0
	for trial := range 12 {
		r := rand.New(rand.NewPCG(uint64(trial), 7))
		content := bytes.Clone(stockedFile)
		readable := make([][]byte, 0, len(leaves))
		lost := make(map[int]bool)
		for range 1 + trial {
			lost[leaves[r.IntN(len(leaves))]] = true
		}
		for _, i := range leaves {
			page := content[i*pageSize : (i+1)*pageSize]
			switch {
			case !lost[i] && stockedFile[i*pageSize] == 13:
				readable = append(readable, stockedFile[i*pageSize:(i+1)*pageSize])
			case lost[i] && i%2 == 0:
				clear(page)
			case lost[i]:
				for j := range page {
					page[j] = byte(r.Uint32())
				}
			}
		}
		path := fresh(t)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		target := filepath.Join(t.TempDir(), "new.db")
		report, err := extension.Salvage(t.Context(), path, target, extension.Key{})
		require.NoError(t, err, "trial %d: pages %v", trial, lost)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(content, after), "the damaged file was touched")
		d := diagnose(t, target)
		require.True(t, d.Healthy, "%+v", d)

		got := everyText(t, target)
		for text := range texts {
			all++
			if got[text] {
				saved++
			}
			for _, page := range readable {
				if bytes.Contains(page, []byte(text)) {
					outside++
					require.True(t, got[text], "trial %d, pages %v: %q stands in a whole page and is lost: %+v", trial, lost, text, report)
					break
				}
			}
		}
	}
	t.Logf("%d memories in damaged files: %d (%.1f %%) stand in a whole page, %d (%.1f %%) were saved", all, outside, 100*float64(outside)/float64(all), saved, 100*float64(saved)/float64(all))
	require.Less(t, outside, all, "nothing was damaged that matters")
}

// everyText is what all memories of a file say.
func everyText(t *testing.T, path string) map[string]bool {
	t.Helper()
	x, err := extension.Open(t.Context(), path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	users, err := x.Users(t.Context())
	require.NoError(t, err)
	texts := make(map[string]bool)
	for _, u := range users {
		found, err := x.Timeline(t.Context(), extension.Scope{User: u.Name}, extension.TimelineQuery{Limit: 1000})
		require.NoError(t, err)
		for _, m := range found {
			texts[m.Content] = true
		}
	}
	return texts
}

func TestSalvageRefuses(t *testing.T) {
	path := stocked(t)
	target := filepath.Join(t.TempDir(), "new.db")
	require.NoError(t, os.WriteFile(target, []byte("mine"), 0o600))
	var invalid *extension.InvalidError
	_, err := extension.Salvage(t.Context(), path, target, extension.Key{})
	require.ErrorAs(t, err, &invalid)
	_, err = extension.Salvage(t.Context(), path, path, extension.Key{})
	require.ErrorAs(t, err, &invalid)

	text := fresh(t)
	require.NoError(t, os.WriteFile(text, []byte("dear diary"), 0o600))
	_, err = extension.Salvage(t.Context(), text, target+"2", extension.Key{})
	require.ErrorIs(t, err, extension.ErrNotDatabase)

	content := bytes.Clone(stockedFile)
	clear(content[100:]) // nothing but a header
	require.NoError(t, os.WriteFile(text, content, 0o600))
	_, err = extension.Salvage(t.Context(), text, target+"2", extension.Key{})
	require.ErrorIs(t, err, extension.ErrCorrupt)
	found, err := filepath.Glob(filepath.Join(filepath.Dir(target), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{target}, found, "left behind")
}
