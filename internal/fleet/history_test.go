package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// simulate runs random operations on a correct log: each takes effect at one moment
// between its begin and its end. Some are not acknowledged.
func simulate(rng *rand.Rand) (ops []Op, final []string) {
	for clock, n := int64(0), 5+rng.IntN(40); n > 0; n-- {
		clock += 1 + rng.Int64N(20)
		o := Op{User: "ada", Host: "h", Begin: clock - rng.Int64N(30), End: clock + 1 + rng.Int64N(30)}
		switch known := len(ops); {
		case rng.IntN(2) == 0 || len(final) == 0:
			o.Kind, o.ID = Append, fmt.Sprint("m", known)
			if rng.IntN(5) == 0 {
				o.End = 0
			}
			if o.End != 0 || rng.IntN(2) == 0 {
				final = append(final, o.ID)
			}
		case rng.IntN(3) == 0:
			o.Kind, o.ID = Search, final[rng.IntN(len(final))]
			o.Log = []string{o.ID}
		case rng.IntN(4) == 0:
			at := rng.IntN(len(final))
			o.Kind, o.ID = Erase, final[at]
			final = slices.Delete(slices.Clone(final), at, at+1)
		default:
			o.Kind, o.Log = Read, slices.Clone(final)
		}
		ops = append(ops, o)
	}
	rng.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	return ops, final
}

func TestCheckAcceptsCorrectHistories(t *testing.T) {
	for seed := range uint64(2000) {
		ops, final := simulate(rand.New(rand.NewPCG(seed, 1)))
		require.Empty(t, Check(ops, final), "seed %d", seed)
	}
}

func TestCheckFindsFaults(t *testing.T) {
	a, b := Op{Kind: Append, ID: "a", Begin: 1, End: 2}, Op{Kind: Append, ID: "b", Begin: 3, End: 4}
	unknown := Op{Kind: Append, ID: "u", Begin: 3}
	read := func(begin, end int64, ids ...string) Op { return Op{Kind: Read, Begin: begin, End: end, Log: ids} }
	erased := Op{Kind: Erase, ID: "a", Begin: 10, End: 11}
	for name, c := range map[string]struct {
		ops   []Op
		final []string
		want  string
	}{
		"lost":                       {[]Op{a, b}, []string{"a"}, "acknowledged and lost"},
		"doubled":                    {[]Op{a}, []string{"a", "a"}, "stored twice"},
		"invented":                   {[]Op{a}, []string{"a", "x"}, "no host published"},
		"out of order":               {[]Op{a, b}, []string{"b", "a"}, "which began later"},
		"stale read":                 {[]Op{a, b, read(5, 6, "a")}, []string{"a", "b"}, "acknowledged before"},
		"read in another order":      {[]Op{a, {Kind: Append, ID: "c", Begin: 1, End: 2}, read(5, 6, "c", "a")}, []string{"a", "c"}, "against the final order"},
		"read from the future":       {[]Op{read(1, 2, "b"), b}, []string{"b"}, "before it was published"},
		"read twice":                 {[]Op{a, read(5, 6, "a", "a")}, []string{"a"}, "twice"},
		"read with a gap":            {[]Op{{Kind: Append, ID: "a", Begin: 1, End: 9}, b, read(5, 6, "b")}, []string{"a", "b"}, "gap"},
		"reads go back":              {[]Op{unknown, read(5, 6, "u"), read(7, 8)}, []string{"u"}, "an earlier read returned"},
		"seen and lost":              {[]Op{unknown, read(5, 6, "u"), read(7, 8)}, nil, "an earlier read returned"},
		"search finds nothing":       {[]Op{a, {Kind: Search, ID: "a", Begin: 3, End: 4}}, []string{"a"}, "acknowledged before"},
		"search finds the erased":    {[]Op{a, erased, {Kind: Search, ID: "a", Begin: 12, End: 13, Log: []string{"a"}}}, nil, "erased"},
		"erased and still stored":    {[]Op{a, erased}, []string{"a"}, "still stored"},
		"erased without being asked": {[]Op{a, read(3, 4, "a")}, nil, "acknowledged and lost"},
		"erased and back":            {[]Op{a, {Kind: Erase, ID: "a", Begin: 3}, read(6, 7), read(8, 9, "a"), read(4, 5, "a")}, []string{"a"}, "gone in an earlier read"},
	} {
		require.Contains(t, fmt.Sprint(Check(c.ops, c.final)), c.want, name)
	}
}
