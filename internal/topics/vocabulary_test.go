package topics

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// sentences are in all the languages that are read, and in others.
var sentences = []string{
	"", "Shall we order the pizza?", "Two hot dogs, please", "That is hot. Dogs like it", "I bought running shoes", "hot",
	"Das ist meine Straße, die Gartenstraße", "Wir haben einen Zwetschgenkuchen", "Zwetschgenkuchen", "¿Pedimos sushi?",
	"Me encanta el café con leche", "今晚去楼下那家新开的川菜馆吃火锅", "我用iPhone,不用Android", "ξένος", "Netflix", "die war gift",
	"I work in machine learning, at the front end of a data base", "ice cream ice cream ice", "my credit card is in the washing machine",
}

// vocabularyOf adds a prepared text's terms to a vocabulary.
func vocabularyOf(v *Vocabulary, number map[string]uint32, prepared string) (terms []uint32) {
	for _, term := range bytes.Fields([]byte(prepared)) {
		n, known := number[string(term)]
		if !known {
			n = uint32(len(number))
			number[string(term)] = n
			v.Add(term)
		}
		terms = append(terms, n)
	}
	return terms
}

// A vocabulary makes the sets that Of makes of the same text, but for rounding,
// and of Chinese those of the text before it was cut into bigrams.
func TestVocabularyAgreesWithOf(t *testing.T) {
	var v Vocabulary
	number := make(map[string]uint32)
	for _, s := range append(sentences, sentences...) {
		prepared := text.Prepare(s)
		terms := vocabularyOf(&v, number, prepared)
		got, want := FromCodes(v.Append(nil, []byte(prepared), terms)), Of(prepared)
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			want = Of(s)
		}
		if !alike(got, want) {
			t.Errorf("%q: %v, want %v", prepared, got, want)
		}
	}
}

// alike reports whether two sets differ by no more than rounding.
func alike(a, b Set) bool {
	return slices.EqualFunc(listed(a), listed(b), func(a, b weighted) bool {
		return a.code == b.code && max(a.weight-b.weight, b.weight-a.weight) < 1.5/weightUnit
	})
}

// listed lists the topics and concepts in the order of a set.
func listed(s Set) (all []weighted) {
	for code, weight := range s.Weights() {
		all = append(all, weighted{code, weight})
	}
	return all
}

func TestJoin(t *testing.T) {
	for _, a := range sentences {
		for _, b := range []string{"", "I play the violin", "pizza and hot dogs"} {
			joined := Join(Of(a), Of(b))
			for _, part := range []Set{Of(a), Of(b)} {
				for _, name := range part.Names() {
					if !slices.Contains(joined.Names(), name) {
						t.Errorf("%q and %q: %v, without %s", a, b, joined.Names(), name)
					}
				}
			}
		}
		if joined := Join(Of(a), Set{}); !slices.Equal(joined.Codes(), Of(a).Codes()) {
			t.Errorf("%q joined with nothing: %v, want %v", a, joined, Of(a))
		}
	}
}

// Above is Near without what is below, and Topics are those without which
// nothing is near.
func TestAboveAndTopics(t *testing.T) {
	for _, question := range sentences {
		q := Ask(Of(question), 1)
		for _, sentence := range sentences {
			s := Of(sentence)
			near := q.Near(s)
			for _, least := range []float64{0, near * 0.999, near, near * 1.001, 0.3, 1} {
				got, want := q.Above(s, least), near
				if near <= least {
					want = 0
				}
				if least != near && got != want {
					t.Errorf("%q beside %q above %v: %v, want %v", question, sentence, least, got, want)
				}
			}
			touched := false
			for topic := range s.Weights() {
				touched = touched || slices.Contains(q.Topics(), topic)
			}
			if touched != (near > 0) {
				t.Errorf("%q beside %q: near %v, topics %v", question, sentence, near, q.Topics())
			}
		}
	}
}

// Every phrase of the lists passes the filter of pairs, also with one more "s".
func TestPairsHoldTheirPhrases(t *testing.T) {
	c := &compiler{places: make(map[string]uint32), pairs: make(pairSet, pairBits/8)}
	if err := c.read(os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	phrases := 0
	for d := range c.listed {
		for lang := range languageCount {
			l := lexicon()
			for w := range c.listed[d][lang] {
				words := strings.Split(w, "_")
				if len(words) == 1 {
					continue
				}
				phrases++
				passes := func(second string) bool {
					return l.pairs.has(pairOf(d, lang, wordHash([]byte(words[0])), wordHash([]byte(second))))
				}
				if !passes(words[1]) || len(words) == 2 && !passes(words[1]+"s") {
					t.Errorf("%q does not pass", w)
				}
			}
		}
	}
	if phrases < 10_000 {
		t.Errorf("only %d phrases", phrases)
	}
}
