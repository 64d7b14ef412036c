package recall

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// vocabularySize words whose frequencies follow Zipf's law, as in real talk.
const vocabularySize = 30_000

// wordOf spells word n; the stemmer leaves it alone.
func wordOf(n int) string {
	const letters = "bdfgklmnprtvz"
	var b strings.Builder
	for range 5 {
		b.WriteByte(letters[n%len(letters)])
		b.WriteByte("aou"[n%3])
		n /= len(letters)
	}
	return b.String()
}

// zipf draws words; those under skip are so common that they count as
// stop-words.
type zipf struct{ *rand.Zipf }

func newZipf(r *rand.Rand) zipf { return zipf{rand.NewZipf(r, 1.1, 10, vocabularySize)} }

// fill stores n turns of about 20 words for one user, in sessions of 40.
func fill(b *testing.B, db *schema.DB, n int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	z := newZipf(r)
	for from := 0; from < n; from += 5000 {
		require.NoError(b, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
			user, err := tx.UserID(ctx, ada)
			if err != nil {
				return err
			}
			for i := from; i < min(n, from+5000); i++ {
				session, err := tx.SessionID(ctx, user, fmt.Sprint("session ", i/40))
				if err != nil {
					return err
				}
				words := make([]string, 5+r.IntN(30))
				for k := range words {
					words[k] = wordOf(int(z.Uint64()))
				}
				m := &schema.Memory{
					UserID: user, SessionID: session, Kind: schema.KindEpisode, Role: "user", Speaker: []string{"Ada", "Bo"}[i%2],
					Content: strings.Join(words, " "), EventTime: schema.At(noon.Add(time.Duration(i-n) * time.Minute)),
					Confidence: 1, Importance: 0.5, Origin: schema.OriginUser,
				}
				if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, m.Speaker)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// questions hold a speaker's name and five words each, of which none is among
// the forty commonest: what is left of a question without its stop-words.
func questions(n int) (all []string) {
	r := rand.New(rand.NewPCG(3, 4))
	z := newZipf(r)
	for range n {
		words := []string{"what did Ada"}
		for len(words) < 6 {
			if w := int(z.Uint64()); w >= 40 {
				words = append(words, wordOf(w))
			}
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// BenchmarkScorer is what a scorer adds to a search.
func BenchmarkScorer(b *testing.B) {
	db := open(b)
	fill(b, db, 10_000)
	asked := questions(64)
	for name, scorer := range map[string]Scorer{
		"none": nil,
		"dual": func(t Terms) []Signal {
			return []Signal{{"relevance", t.Relevance, 0.5}, {"recency", math.Exp(-t.Age().Hours() / 24), 0.3}, {"importance", t.Memory.Importance, 0.2}}
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := New(db, Options{Scorer: scorer})
			defer s.Close()
			_, err := s.Search(context.Background(), ada, Query{Text: asked[0], Now: noon, Wait: true})
			require.NoError(b, err)
			i := 0
			for b.Loop() {
				i++
				_, err := s.Search(context.Background(), ada, Query{Text: asked[i%len(asked)], Now: noon})
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkPlanned asks about times and with a talk.
func BenchmarkPlanned(b *testing.B) {
	db := open(b)
	fill(b, db, 100_000)
	s := New(db, Options{})
	defer s.Close()
	_, err := s.Search(context.Background(), ada, Query{Text: "warm", Now: noon, Wait: true})
	require.NoError(b, err)
	for _, question := range []string{"What did I do yesterday?", "What happened last month?", "Am I free on Friday?", "When is the dentist?", "What did we talk about last time?", "What do you know about me?", "And where?"} {
		b.Run(question, func(b *testing.B) {
			p := lexicon.PlanOf(question, noon)
			p.Talk = questions(2)
			for b.Loop() {
				_, err := s.Search(context.Background(), ada, Query{Text: question, Now: noon, Plan: &p})
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkSearch compares a search with the bare full-text index asked for
// its ten best chunks of the same stop-worded question.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("episodes=", n), func(b *testing.B) { benchmarkSearch(b, n) })
	}
}

func benchmarkSearch(b *testing.B, n int) {
	db := open(b)
	fill(b, db, n)
	s := New(db, Options{})
	asked := questions(64)
	b.Run("search", func(b *testing.B) {
		began := time.Now()
		_, err := s.Search(context.Background(), ada, Query{Text: asked[0], Now: noon, Wait: true})
		require.NoError(b, err)
		loading := time.Since(began)
		i, postings := 0, 0
		b.ReportAllocs()
		for b.Loop() {
			i++
			answer, err := s.Search(context.Background(), ada, Query{Text: asked[i%len(asked)], Now: noon})
			require.NoError(b, err)
			require.NotEmpty(b, answer.Results)
		}
		for _, ix := range s.indexes.byUser.Values() {
			for _, q := range asked {
				for _, p := range ix.understand(q, noon).parts {
					if p.known {
						postings += int(ix.postings[p.exact].N)
					}
					for _, r := range p.related {
						postings += int(ix.postings[r.term].N)
					}
				}
			}
		}
		b.ReportMetric(float64(loading.Milliseconds()), "ms/load")
		b.ReportMetric(math.Round(float64(postings)/float64(len(asked))), "postings/op")
	})
}
