package recall

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/schema"
)

// indexOf is an index over texts that somebody says.
func indexOf(speaker string, texts ...string) *index {
	ix := newIndex()
	for i, said := range texts {
		ix.add(schema.IndexedChunk{ID: int64(i + 1), MemoryID: int64(i + 1), Kind: schema.KindEpisode, State: schema.StateActive, Speaker: speaker, Text: []byte(said)}, 0)
	}
	return ix
}

func TestEmphasis(t *testing.T) {
	ix := indexOf("ada", "kettl", "养了 了一 一只 只猫 猫咪", "潜水 水教 教练")
	for _, test := range []struct {
		asked string
		want  map[string]float64
	}{
		{"When did the kettle break last month?", map[string]float64{"kettl": 1, "break": 1, "last": asideShare, "month": asideShare}},
		{"Which month?", map[string]float64{"month": asideShare}},
		{"2024", map[string]float64{"2024": asideShare}},
		// 猫咪 and 潜水 are known; 咪潜 stands across the two of them.
		{"猫咪潜水", map[string]float64{"猫咪": 1, "咪潜": 0, "潜水": 1}},
		// 鞋子 is not: of 咪鞋 only 鞋 is unaccounted for.
		{"猫咪鞋子", map[string]float64{"猫咪": 1, "咪鞋": 0.5, "鞋子": 1}},
		// 的 only binds.
		{"猫咪的鞋子", map[string]float64{"猫咪": 1, "鞋子": 0.5}},
		{"一只", map[string]float64{"一只": 1}},
		{"了一", map[string]float64{"一": asideShare}},
	} {
		q := ix.understand(test.asked, time.Unix(0, 0))
		got := make(map[string]float64)
		for i, e := range q.emphasis(ix) {
			got[q.parts[i].term] = e
		}
		require.Equal(t, test.want, got, test.asked)
	}
}

func TestTopicFamiliarity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := &topic{}
		for range rapid.IntRange(1, 20).Draw(t, "parts") {
			q.terms = append(q.terms, rapid.SampledFrom([]string{"kettl", "submarin", "潜水"}).Draw(t, "term"))
			q.emphasis = append(q.emphasis, rapid.SampledFrom([]float64{asideShare, 0.5, 1}).Draw(t, "emphasis"))
		}
		for range rapid.IntRange(1, 5).Draw(t, "stretches") {
			s := stretch{words: rapid.IntRange(0, 1e6).Draw(t, "words")}
			for range q.terms {
				s.uses = append(s.uses, rapid.IntRange(0, s.words).Draw(t, "uses"))
			}
			q.stretches = append(q.stretches, s)
		}
		before := q.familiar()
		require.GreaterOrEqual(t, before, 0.)
		require.LessOrEqual(t, before, 4*math.Log1p(bigramsInWord*usesIn))
		for _, s := range q.stretches {
			s.uses[0]++
		}
		require.Greater(t, q.familiar(), before, "one more use")
		q.stretches = append(q.stretches, stretch{words: 1e6, uses: make([]int, len(q.terms))})
		require.GreaterOrEqual(t, q.familiar(), before, "what it speaks of besides takes nothing away")
		for _, s := range q.stretches {
			clear(s.uses)
		}
		require.Zero(t, q.familiar(), "nothing it ever speaks of")
	})
}

func TestStretchesCoverMemory(t *testing.T) {
	texts := slices.Repeat([]string{"the kettl is a kettl", "so it is"}, 1500)
	ix := indexOf("ada", texts...)
	q := ix.understand("kettle, kettles and submarines", time.Unix(0, 0))
	words, uses := 0, make([]int, len(q.parts))
	all := ix.stretches(q.parts)
	for _, s := range all {
		words += s.words
		for i := range uses {
			uses[i] += s.uses[i]
		}
	}
	require.Len(t, all, 3)
	require.Equal(t, ix.counts.words, words)
	require.Equal(t, []int{3000, 0}, uses)
	none := newIndex()
	require.Empty(t, none.stretches(none.understand("kettles", time.Unix(0, 0)).parts))
}

func TestBulk(t *testing.T) {
	few := &topic{interest: []float32{4, 2, 1}}
	require.Zero(t, few.bulk(), "too few to be many")
	none := &topic{interest: make([]float32, 20)}
	require.Zero(t, none.bulk())
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float32Range(0, 9), bulkRank, 50).Draw(t, "scores")
		b := (&topic{interest: scores}).bulk()
		require.True(t, b >= 0 && b <= 1, "%v", b)
		same := (&topic{interest: rapid.Permutation(scores).Draw(t, "order")}).bulk()
		require.InDelta(t, b, same, 0)
		require.LessOrEqual(t, (&topic{interest: append(slices.Clone(scores), 10)}).bulk(), 0.9)
	})
}

func TestStrangers(t *testing.T) {
	for question, want := range map[string]float64{
		"When did Ada meet Ottilie Brandt?":                       0, // only half of the name is known
		"When did Ada meet Caroline?":                             1,
		"Did Caroline, Melanie and Jonas go to Toronto with Ada?": 2, // and no more
		"When did the kettle break?":                              0,
	} {
		ix := indexOf("ada", slices.Repeat([]string{"ottili repair the kettl"}, 1e4)...)
		q := ix.understand(question, time.Unix(0, 0))
		require.InDelta(t, want, newTopic(ix, nil, q, nil).strangers(), 0.01, question)
		for _, name := range q.names {
			q.mentions[name] = []int64{7}
		}
		known := newTopic(ix, nil, q, nil)
		require.Zero(t, known.strangers(), "known under other names")
		known.forget(&schema.Memory{ID: 7, Content: "Hello"}, &scored{proposal: proposal{memoryID: 7}})
		require.InDelta(t, want, known.strangers(), 0.01, "but from the prompt alone")
	}
}

func TestRoleIsNotAName(t *testing.T) {
	const question = "Which user accounts did I delete?"
	for speaker, want := range map[string]bool{"user": false, "assist": false, "user person": false, "user ada": true} {
		ix := indexOf(speaker, "i delet two of the account")
		q := ix.understand("What did "+speaker+" say? "+question, time.Unix(0, 0))
		require.NotEmpty(t, q.speakers, speaker)
		require.Equal(t, want, q.namesPerson(ix), speaker)
	}
}
