package encoder

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPiecesOfUnigram(t *testing.T) {
	u := newUnigram([]unigramEntry{{"<unk>", 0}, {"a", -2}, {"b", -2}, {"ab", -3}, {"abc", -20}, {"é", -1}}, 0)
	for text, want := range map[string][]int32{
		"ab": {3}, "abb": {3, 2}, "ba": {2, 1}, "abc": {4}, "xyz": {0}, "axyb": {1, 0, 2}, "éa": {5, 1}, "": nil,
	} {
		require.Equal(t, want, u.appendTo(nil, text, 0), text)
	}
	without := newUnigram([]unigramEntry{{"a", -2}}, -1)
	require.Equal(t, []int32{0, 0}, without.appendTo(nil, "axya", 0), "no unknown token")
}

// Whitespace splits as Rust's \w does.
func TestWordCharacters(t *testing.T) {
	f, err := (&component{Type: "Whitespace"}).preTokenizer()
	require.NoError(t, err)
	for text, want := range map[string][]string{
		"we don't":            {"we", "don", "'", "t"},
		"نمی\u200cدانم":       {"نمی\u200cدانم"},
		"क्\u200dष":           {"क्\u200dष"},
		"\u24b6\u24d0 \u2160": {"\u24b6\u24d0", "\u2160"},
		"a_b-½":               {"a_b", "-½"},
	} {
		require.Equal(t, want, f([]string{text}, true), "%+q", text)
	}
}

func TestAddedTokens(t *testing.T) {
	k, err := parseTokenizer([]byte(`{
		"added_tokens": [{"id": 0, "content": "[U]"}, {"id": 1, "content": "<m>", "lstrip": true, "rstrip": true}, {"id": 2, "content": "<m>x"}],
		"pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "never", "split": false},
		"model": {"type": "WordPiece", "unk_token": "[U]", "vocab": {"[U]": 0, "<m>": 1, "<m>x": 2, "a": 3, "▁": 4, "##▁": 5, "##a": 6}}}`))
	require.NoError(t, err)
	for text, want := range map[string][]int32{
		"a":         {3},
		"a <m> a":   {3, 1, 3},
		"<m>x<m>":   {2, 1},
		"[U][U]a":   {0, 0, 3},
		"<m":        {0},
		"a <m>\n":   {3, 1},
		"a a":       {3, 5, 6},
		"<m><m>xaa": {1, 2, 3, 6},
	} {
		require.Equal(t, want, k.encode(text, 100, false), text)
	}
}

// A token that is normalised is found in the normalised text, in which it may be
// spelled otherwise.
func TestNormalisedAddedTokens(t *testing.T) {
	k, err := parseTokenizer([]byte(`{
		"added_tokens": [{"id": 1, "content": "[M]"}, {"id": 2, "content": "Café", "normalized": true, "lstrip": true}],
		"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
		"model": {"type": "WordPiece", "unk_token": "[U]", "vocab": {"[U]": 0, "[M]": 1, "café": 2, "a": 3, "s": 4, "m": 5, "[": 6, "]": 7, "cafe": 8}}}`))
	require.NoError(t, err)
	for text, want := range map[string][]int32{
		"a CAFÉ a":       {3, 2, 3},
		"cafés[M]Café":   {2, 4, 1, 2},
		"a [m]":          {3, 6, 5, 7},
		"Caf":            {0},
		"[M] a café[M]a": {1, 3, 2, 1, 3},
		"":               nil,
	} {
		require.Equal(t, want, k.encode(text, 100, false), text)
	}
	require.Equal(t, []int32{3, 2}, k.encode("a café a café", 2, false))

	_, err = parseTokenizer([]byte(`{"added_tokens": [{"id": 1, "content": "<w>", "single_word": true}], "model": {"type": "WordPiece", "vocab": {}}}`))
	require.ErrorContains(t, err, `the added token "<w>" is a single_word`)
}

// With the scheme "first", the sign precedes a text, not the parts after added tokens.
func TestMetaspaceFirst(t *testing.T) {
	k, err := parseTokenizer([]byte(`{
		"added_tokens": [{"id": 1, "content": "<m>"}, {"id": 6, "content": "<n>", "normalized": true}],
		"pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first"},
		"model": {"type": "Unigram", "unk_id": 0, "vocab": [["U", -9], ["<m>", -9], ["▁", -2], ["a", -2], ["▁a", -1], ["b", -2], ["<n>", -9]]}}`))
	require.NoError(t, err)
	for text, want := range map[string][]int32{
		"a": {4}, "a<m>a": {4, 1, 3}, "<m>a": {1, 3}, "a<m> a b": {4, 1, 4, 2, 5}, " a": {4}, "b<n>a": {2, 5, 6, 3}, "<n>a": {6, 3},
	} {
		require.Equal(t, want, k.encode(text, 100, false), text)
	}
}

// A file that asks for endless work is refused or bounded.
func TestTokenizerIsBounded(t *testing.T) {
	const model = `"model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": 0}}}`
	double := strings.TrimSuffix(strings.Repeat(`{"type": "Replace", "pattern": {"String": "a"}, "content": "aa"},`, 60), ",")
	k, err := parseTokenizer([]byte(`{"normalizer": {"type": "Sequence", "normalizers": [` + double + `]},` + model))
	require.NoError(t, err)
	require.Less(t, len(k.normalised("a a a")), 2000)
	long := strings.Repeat("a", maxText)
	for _, pattern := range []string{`{"String": "a"}`, `{"Regex": "a?"}`} {
		grow := `{"type": "Replace", "pattern": ` + pattern + `, "content": "` + strings.Repeat("a", maxInserted) + `"}`
		k, err := parseTokenizer([]byte(`{"normalizer": ` + grow + `,` + model))
		require.NoError(t, err)
		grown := k.normalise[0](long)
		require.LessOrEqual(t, len(grown), maxNormal+maxText+maxInserted)
		require.Equal(t, strings.Repeat("a", maxNormal), grown[:maxNormal])
		require.Equal(t, strings.Repeat("a", 300), k.normalise[0]("aaa"))
	}

	for says, file := range map[string]string{
		"inserts more than": `{"normalizer": {"type": "Prepend", "prepend": "` + strings.Repeat("x", 101) + `"},` + model,
		"normalizers and":   `{"normalizer": {"type": "Sequence", "normalizers": [` + double + "," + double + `]},` + model,
		"added tokens":      `{"added_tokens": [` + strings.TrimSuffix(strings.Repeat(`{"id": 0, "content": "a"},`, maxAdded+1), ",") + `],` + model,
		"not one character": `{"pre_tokenizer": {"type": "Metaspace", "replacement": "______"},` + model,
	} {
		_, err := parseTokenizer([]byte(file))
		require.ErrorContains(t, err, says)
	}

	data, err := os.ReadFile("testdata/bert/tokenizer.json")
	require.NoError(t, err)
	bert, err := parseTokenizer(data)
	require.NoError(t, err)
	for _, text := range []string{strings.Repeat("[SEP]", 1<<18), strings.Repeat("é", 1<<18), strings.Repeat("do ", 1<<18)} {
		require.Len(t, bert.encode(text, 32, true), map[bool]int{true: 3, false: 32}[text[0] == 0xc3], fmt.Sprintf("%.10q…", text))
	}
}
