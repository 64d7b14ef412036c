package sqlite

import (
	"context"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextLevels(t *testing.T) {
	for name, c := range map[string]struct {
		record string
		levels []textLevel
		wrong  bool
	}{
		"no text yet":             {record: "00000000" + "000000"},
		"two, and one above":      {record: "00000000" + "020305" + "0002" + "020101" + "030101" + "0001" + "010109", levels: []textLevel{{segments: 2}, {segments: 1}}},
		"half merged":             {record: "00000000" + "010209" + "0202" + "020101" + "030181" + "00", levels: []textLevel{{segments: 2, merged: 2}}},
		"nothing":                 {record: "", wrong: true},
		"cut short":               {record: "00000000" + "010209" + "0202" + "0201", wrong: true},
		"more than it has":        {record: "00000000" + "010109" + "0002" + "020101" + "030101", wrong: true},
		"fewer":                   {record: "00000000" + "010309" + "0002" + "020101" + "030101", wrong: true},
		"more merged than it has": {record: "00000000" + "010209" + "0302" + "020101" + "030101", wrong: true},
		"trailing bytes":          {record: "00000000" + "00000000", wrong: true},
		"a billion":               {record: "00000000" + "018480808000" + "00" + "00" + "8480808000", wrong: true},
		"no such number":          {record: "00000000" + "ffffffffffffffffff" + "0000", wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			record, err := hex.DecodeString(c.record)
			require.NoError(t, err)
			levels, err := textLevels(record)
			if c.wrong {
				require.ErrorIs(t, err, errTextLevels)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.levels, levels)
		})
	}
}

func TestSQLiteVarint(t *testing.T) {
	for encoded, want := range map[string]uint64{
		"00": 0, "7f": 127, "8100": 128, "81808000": 1 << 21, "ffffffffffffffffff": 1<<64 - 1, "808080808080808001": 1,
	} {
		b, err := hex.DecodeString(encoded)
		require.NoError(t, err)
		n, size := sqliteVarint(b)
		require.Equal(t, want, n, encoded)
		require.Equal(t, len(b), size, encoded)
	}
	_, size := sqliteVarint([]byte{0x81})
	require.Zero(t, size)
}

// The parsed record must match the index that FTS5 built.
func TestTextLevelsAreThoseOfTheIndex(t *testing.T) {
	db := open(t, Options{NoCheckpoint: true})
	levels := func() (levels []textLevel) {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			var record []byte
			if err := s.Row(ctx, "SELECT block FROM notes_fts_data WHERE id = 10", nil, &record); err != nil {
				return err
			}
			var err error
			levels, err = textLevels(record)
			return err
		}))
		return levels
	}
	require.Empty(t, levels())
	for i := range mergeSegments + 2 {
		addText(t, db, manyWords(i))
		require.Equal(t, []textLevel{{segments: i + 1}}, levels())
	}
	mergeSomePages(t, db, 1)
	require.Equal(t, []textLevel{{segments: mergeSegments + 2, merged: mergeSegments + 2}, {segments: 1}}, levels())
	require.NoError(t, db.FinishMerges(t.Context()))
	require.Equal(t, []textLevel{{}, {segments: 1}}, levels())
}

func FuzzTextLevels(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 3, 5, 0, 2, 2, 1, 1, 3, 1, 1, 0, 1, 1, 1, 9})
	f.Fuzz(func(t *testing.T, record []byte) {
		levels, err := textLevels(record)
		if err != nil {
			require.ErrorIs(t, err, errTextLevels)
			require.Empty(t, levels)
		}
		require.LessOrEqual(t, len(levels), len(record))
	})
}
