package sqlite

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func anyMark(t *rapid.T) *mark {
	return &mark{
		serial: rapid.Uint64().Draw(t, "serial"),
		file:   rapid.StringMatching("[0-9a-f]{32}").Draw(t, "file"),
		at:     time.UnixMilli(rapid.Int64Range(0, 1<<42).Draw(t, "at")).UTC(),
		last:   rapid.MapOf(rapid.SampledFrom([]string{"events", "memories", "ops", "erasures"}), rapid.Int64Min(0)).Draw(t, "last"),
	}
}

func TestMarkIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMark(t)
		line := m.encode()
		require.Len(t, line, markLength)
		require.Equal(t, m, decodeMark(line))
		bit := rapid.IntRange(0, 8*slices.Index(line, '\n')-1).Draw(t, "bit")
		line[bit/8] ^= 1 << (bit % 8)
		require.Nil(t, decodeMark(line), "a flipped bit makes another mark of it")
	})
}

// A torn write leaves the previous mark or the new one, wherever it stops.
func TestTornMarkKeepsPrevious(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	for i := range int64(5) {
		require.NoError(t, writeMark(path, &mark{file: "f", at: time.UnixMilli(i).UTC(), last: map[string]int64{"events": i}}))
		whole, err := os.ReadFile(path + markSuffix)
		require.NoError(t, err)
		m, err := readMark(path)
		require.NoError(t, err)
		require.Equal(t, map[string]int64{"events": i}, m.last)
		if i == 0 {
			continue
		}
		place := int(m.serial%2) * markSlot
		for cut := range slices.Index(whole[place:], '\n') {
			torn := slices.Clone(whole)
			for j := place + cut; j < min(place+markLength, len(torn)); j++ {
				torn[j] = 0
			}
			require.NoError(t, os.WriteFile(path+markSuffix, torn, 0o600))
			m, err := readMark(path)
			require.NoError(t, err)
			require.Equal(t, map[string]int64{"events": i - 1}, m.last, "cut after %d bytes", cut)
		}
		require.NoError(t, os.WriteFile(path+markSuffix, whole, 0o600))
	}
}

func TestMarkKeepsOtherProcessNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	require.NoError(t, writeMark(path, &mark{file: "f", last: map[string]int64{"events": 9, "ops": 1}}))
	require.NoError(t, writeMark(path, &mark{file: "f", last: map[string]int64{"events": 7, "ops": 2}}))
	m, err := readMark(path)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"events": 9, "ops": 2}, m.last)
	require.NoError(t, writeMark(path, &mark{file: "g", last: map[string]int64{"events": 1}}))
	m, err = readMark(path)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"events": 1}, m.last, "another file's numbers are not this one's")
}

func TestMissingFrom(t *testing.T) {
	m := &mark{file: "f", last: map[string]int64{"events": 9, "memories": 4}}
	for name, c := range map[string]struct {
		file mark
		want map[string]Gone
	}{
		"as far":       {mark{file: "f", last: map[string]int64{"events": 9, "memories": 4}}, map[string]Gone{}},
		"further":      {mark{file: "f", last: map[string]int64{"events": 12, "memories": 5, "ops": 1}}, map[string]Gone{}},
		"behind":       {mark{file: "f", last: map[string]int64{"events": 6, "memories": 4}}, map[string]Gone{"events": {6, 9}}},
		"nothing left": {mark{file: "f"}, map[string]Gone{"events": {0, 9}, "memories": {0, 4}}},
		"another file": {mark{file: "g"}, map[string]Gone{}},
	} {
		require.True(t, maps.Equal(c.want, m.missingFrom(&c.file)), name)
	}
}

func FuzzDecodeMark(f *testing.F) {
	f.Add((&mark{file: "f", last: map[string]int64{"events": 9}}).encode())
	f.Add([]byte("ebb-mark-1 0 f 0 00000000\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if m := decodeMark(line); m != nil {
			require.Equal(t, m, decodeMark(m.encode()))
		}
	})
}
