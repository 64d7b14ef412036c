package sqlite

import "fmt"

// textLevel is a level of the FTS5 index.
type textLevel struct {
	segments int // in the level
	merged   int // of them, input to an unfinished merge
}

// errTextLevels is the error for a record that FTS5 cannot have written.
var errTextLevels = fmt.Errorf("%w: the text index says of its segments what cannot be", ErrCorrupt)

// textLevels parses FTS5's structure record, as fts5_index.c describes it: four
// bytes, then as varints the number of levels, the number of segments, a write
// counter, and for each level the size of its merge, its number of segments and,
// for each segment, an id and its first and last page. Indexes with
// contentless_delete have another format; ours does not use it.
func textLevels(record []byte) (levels []textLevel, err error) {
	if len(record) < 4 {
		return nil, errTextLevels
	}
	rest := record[4:]
	next := func() int {
		var n uint64
		var size int
		if n, size = sqliteVarint(rest); size == 0 || n > 1<<31 {
			err, rest = errTextLevels, nil
			return 0
		}
		rest = rest[size:]
		return int(n)
	}
	count, segments, _ := next(), next(), next()
	for range count {
		l := textLevel{merged: next(), segments: next()}
		if segments -= l.segments; err != nil || segments < 0 || l.merged > l.segments {
			return nil, errTextLevels
		}
		for i := 0; i < 3*l.segments && err == nil; i++ {
			next()
		}
		levels = append(levels, l)
	}
	if err != nil || segments != 0 || len(rest) > 0 {
		return nil, errTextLevels
	}
	return levels, nil
}

// sqliteVarint decodes an SQLite varint: seven bits a byte, most significant first,
// and eight bits of a ninth byte. The size is 0 when b is too short.
func sqliteVarint(b []byte) (n uint64, size int) {
	for i, c := range b {
		if i == 8 {
			return n<<8 | uint64(c), 9
		}
		n = n<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
