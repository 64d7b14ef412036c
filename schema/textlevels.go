package schema

import "fmt"

// textLevel is a level of the text index.
type textLevel struct {
	segments int // that it has
	merged   int // of them, by a merge that is half done
}

// errTextLevels is what FTS5 has never written.
var errTextLevels = fmt.Errorf("%w: the text index says of its segments what cannot be", ErrCorrupt)

// textLevels reads FTS5's structure record, as fts5_index.c describes it: four
// bytes, then as variable-length integers the number of levels, that of
// segments, a counter of writes, and for each level its merge, its segments and,
// for each of them, an id and its first and last page. Indexes without a table of
// their own, which ours is not, have another.
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

// sqliteVarint reads an integer as SQLite writes it: seven bits a byte, the
// highest first, and eight of a ninth. The size is 0 when there is none.
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
