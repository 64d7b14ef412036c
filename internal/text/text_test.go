package text

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// anyText draws text of many scripts, marks, invisible and invalid bytes.
func anyText() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[A-Za-z0-9 '’.,!?@#_/-]{0,30}`),
		rapid.SampledFrom([]string{"Anna's ", "東京タワー", "สวัสดี", "\u0301", "\u200d", "👩\u200d👩\u200d👧", "🇳🇴", "\x00", "\xff", "\r\n", "\n\n", "½", "ﬁ", "İ", "ẞ", "Виктор", "〇", "한국어", "last week", "5/5/2023", " in March", "`", "```", "https://a.b/(c)"}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
	})
}

func checkClean(t assert.TestingT, s string) {
	c := Clean(s)
	assert.True(t, utf8.ValidString(c))
	assert.NotContains(t, c, "\x00")
	assert.NotContains(t, c, "\r")
	assert.True(t, norm.NFC.IsNormalString(c), "%q", c)
	assert.Equal(t, c, Clean(c), "idempotent")
}

func checkTerms(t assert.TestingT, s string) {
	terms := Terms(s)
	letters := false
	for _, term := range terms {
		assert.NotEmpty(t, term)
		assert.LessOrEqual(t, utf8.RuneCountInString(term), maxTermRunes)
		for _, r := range term {
			assert.True(t, unicode.IsLetter(r) || unicode.IsDigit(r), "%q in %q", r, term)
		}
		letters = true
	}
	query := QueryTerms(s, 5)
	assert.LessOrEqual(t, len(query), 5)
	assert.Equal(t, letters, len(query) > 0, "a query with terms is never empty")
	assert.Subset(t, append(terms, ""), query)
	assert.Equal(t, Fold(s), Fold(Fold(s)), "Fold is idempotent")
}

func withoutSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func checkChunks(t assert.TestingT, s string, size int) {
	chunks := Chunks(s, size)
	assert.Equal(t, withoutSpace(s), withoutSpace(strings.Join(chunks, "")))
	if size <= 0 {
		size = DefaultChunkRunes
	}
	for _, c := range chunks {
		assert.NotEmpty(t, strings.TrimSpace(c))
		assert.LessOrEqual(t, utf8.RuneCountInString(c), size)
	}
}

func checkMentions(t assert.TestingT, s string) {
	last := 0
	for _, m := range Mentions(s) {
		assert.GreaterOrEqual(t, m.Start, last, "ordered, disjoint: %+v", m)
		assert.Equal(t, s[m.Start:m.End], m.Text)
		assert.NotEmpty(t, strings.TrimSpace(m.Text))
		assert.Greater(t, m.Confidence, 0.0)
		assert.LessOrEqual(t, m.Confidence, 1.0)
		last = m.End
	}
}

func checkSpans(t assert.TestingT, s string, said time.Time) {
	last := 0
	for _, m := range TimeSpans(s, said) {
		assert.GreaterOrEqual(t, m.Offset, last)
		assert.True(t, m.Start.Before(m.End), "%+v", m)
		assert.Equal(t, s[m.Offset:m.Offset+len(m.Text)], m.Text)
		last = m.Offset + len(m.Text)
	}
}

func TestPropertiesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, size := anyText().Draw(t, "s"), rapid.IntRange(0, 40).Draw(t, "size")
		checkClean(t, s)
		checkTerms(t, s)
		checkChunks(t, Clean(s), size)
		checkMentions(t, s)
		checkSpans(t, s, grammarRef)
	})
}

func TestTokensAreMonotoneAndTruncateFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Clean(anyText().Draw(t, "a")), Clean(anyText().Draw(t, "b"))
		ab := Tokens(a + b)
		assert.GreaterOrEqual(t, ab, max(Tokens(a), Tokens(b)))
		assert.LessOrEqual(t, ab, Tokens(a)+Tokens(b))
		n := rapid.IntRange(-1, 30).Draw(t, "n")
		cut := Truncate(a, n)
		assert.LessOrEqual(t, Tokens(cut), max(n, 0))
		if Tokens(a) <= n {
			assert.Equal(t, a, cut)
		} else if n > 0 {
			assert.True(t, strings.HasSuffix(cut, ellipsis) && strings.HasPrefix(a, strings.TrimSuffix(cut, ellipsis)))
		}
	})
}

func TestTerms(t *testing.T) {
	for in, want := range map[string]string{
		"I don't think Anna's cats RAN":     "i dont think anna cat ran",
		"Mary O’Neil’s naïve café":          "mari oneil naiv cafe",
		"東京タワー Tower":                       "東京 京タ タワ ワー tower",
		"我":                                 "我",
		"二〇二三":                              "二零 零二 二三",
		"ガ か\u3099":                         "ガ が",
		"x² ½ ﬁne co\u00adop":               "x2 1 2 fine coop",
		"Straße Øre Łódź":                   "strass ore lodz",
		"Виктор ёлка":                       "виктор елка",
		"user_id 3.14, running-shoes":       "user id 3 14 run shoe",
		"!?… ":                              "",
		"she'll they've rock'n'roll":        "she they rocknrol",
		strings.Repeat("x", 100):            strings.Repeat("x", maxTermRunes),
		strings.Repeat("ж", 100) + " после": strings.Repeat("ж", maxTermRunes) + " после",
	} {
		assert.Equal(t, want, Prepare(in), "%q", in)
	}
}

func TestQueryTerms(t *testing.T) {
	assert.Equal(t, []string{"anna", "live"}, QueryTerms("Where does Anna live, where does Anna live?", 0))
	assert.Equal(t, []string{"who", "are", "you"}, QueryTerms("Who are you?", 0), "stop-words alone are kept")
	assert.Equal(t, []string{"one", "two"}, QueryTerms("one two three", 2))
	assert.Empty(t, QueryTerms("?!", 0))
	assert.Equal(t, []string{"war", "beruf"}, QueryTerms("wat war der nochmal von beruf", 0))
	assert.Equal(t, []string{"darf", "rein"}, QueryTerms("und wat darf da nich rein bei ihr", 0))
	assert.Equal(t, []string{"pa", "work"}, QueryTerms("what did my pa do for work", 0), "a word elsewhere")
	for _, stop := range strings.Fields("dont wat dat dit nich ne is isch hab gonna innit cuz") {
		assert.True(t, IsStopWord(stop), stop)
	}
	for _, word := range strings.Fields("lisbon pa pos net ham mal war die") {
		assert.False(t, IsStopWord(word), word)
	}
}

func TestChunkBoundaries(t *testing.T) {
	assert.Nil(t, Chunks(" \n ", 10))
	assert.Equal(t, []string{"first part here.", "second part of it"}, Chunks("first part here.\n\nsecond part of it", 20))
	assert.Equal(t, []string{"One is done.", "Two goes on and", "on"}, Chunks("One is done. Two goes on and on", 15))
	assert.Equal(t, []string{"aaaa", "e\u0301bbb"}, Chunks("aaaae\u0301bbb", 5), "a mark stays with its letter")
	long := strings.Repeat("x", 2<<20)
	assert.Len(t, Chunks(long, 0), (len(long)+DefaultChunkRunes-1)/DefaultChunkRunes)
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"  Mary  ANN\tO’Neil ": "mary ann o'neil", "Zoë": "zoe", "Øystein": "oystein", "Андрей": "андрей", "Jean–Luc": "jean-luc", "ＮＡＳＡ": "nasa",
		"An\u200bna \u200eBerg\u202c": "anna berg", "क\u200d्ष": "क्ष",
	} {
		assert.Equal(t, want, Fold(in))
	}
}
