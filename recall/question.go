package recall

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
)

// question is an analysed query.
type question struct {
	asked    string
	terms    []string // all of it, in order
	parts    []part
	total    float32 // Σ idf of the parts
	kind     kindOfAnswer
	ofOthers bool               // it asks what the assistant, not the user, said
	ofAsking bool               // it asks what was asked before
	personal bool               // it is about the user
	general  bool               // no memory is needed to answer it
	speakers speakers           // that it names
	names    []string           // names it holds, as written
	mentions map[string][]int64 // name -> memories that mention its bearer; for the entity arm
	spans    []span             // times it names
	crowded  bool               // the memory has many speakers
	own      int                // parts that are the question's own, before those of the talk; 0 = all
}

// kindOfAnswer is what a question asks for.
type kindOfAnswer uint8

const (
	asksWhen   kindOfAnswer = 1 << iota
	asksNumber              // how many, how much
	asksWho
	asksName // which, what, where: something that may have a name
)

// span is a half-open stretch of time in Unix milliseconds.
type span struct{ from, to int64 }

// part is one term of a question that is looked up, with its relatives.
type part struct {
	term    string
	exact   uint32
	known   bool    // exact is in the index
	idf     float32 // of exact
	related []relative
	// relatedIDF counts exact and its relatives together.
	relatedIDF float32
}

// relative is another term that may stand for a part's own.
type relative struct {
	term   uint32
	weight float32 // 0–1
}

const (
	// maxParts bounds a question; sets of parts are bits of a word.
	maxParts = 64
	// frameShare is the weight of a word that frames a question ("what kind
	// of", "do they both") rather than say what it is about.
	frameShare = 0.35
	// characterShare is the weight of one character of a bigram that matches.
	characterShare = 0.5
	// commonShare bounds relatives: terms in a larger share of the chunks are too
	// common.
	commonShare = 0.1
)

// understand analyses a question asked at now against the index.
func (ix *index) understand(asked string, now time.Time) *question {
	all := text.Terms(asked)
	q := &question{asked: asked, terms: all, mentions: make(map[string][]int64)}
	q.kind, q.ofOthers, q.ofAsking = answerKind(all), text.AsksYou(asked), text.AsksWhatWasAsked(asked)
	q.personal, q.general = text.IsPersonal(asked), text.IsGeneral(asked)
	times := text.TimeSpans(asked, now)
	for _, s := range times {
		q.spans = append(q.spans, span{s.Start.UnixMilli(), s.End.UnixMilli()})
	}
	called := ix.callSpeakers(q, asked)
	terms := text.QueryTerms(text.WithoutFunctionWords(withoutDigits(asked, times)), maxParts)
	if len(terms) == 0 { // there is nothing but a date
		terms = text.QueryTerms(asked, maxParts)
	}
	q.divide(ix, terms, called)
	return q
}

// withoutDigits blanks the days in dates, since a "31" in another text means
// something else. Years stay.
func withoutDigits(asked string, times []text.TimeSpan) string {
	if len(times) == 0 {
		return asked
	}
	left := []byte(asked)
	for _, t := range times {
		for _, digits := range dayNumber.FindAllStringIndex(t.Text, -1) {
			for i := digits[0]; i < digits[1]; i++ {
				left[t.Offset+i] = ' '
			}
		}
	}
	return string(left)
}

var dayNumber = regexp.MustCompile(`\b\d{1,2}(?:st|nd|rd|th)?\b`)

// divide makes the parts. It leaves out the names of speakers unless there is nothing
// else: a person's own texts do not hold their name, those of others do.
func (q *question) divide(ix *index, terms []string, called map[string]bool) {
	about := slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return called[t] })
	if len(about) == 0 {
		about = terms
	}
	framesOnly := !slices.ContainsFunc(about, func(t string) bool { return !lexicon.IsFrame(t) })
	for _, t := range about {
		p := ix.part(t)
		if lexicon.IsFrame(t) && !framesOnly {
			p.idf *= frameShare
			p.relatedIDF *= frameShare
		}
		q.parts = append(q.parts, p)
		q.total += p.idf
	}
}

// part looks a term and its relatives up.
func (ix *index) part(term string) part {
	id, known := ix.terms[term]
	p := part{term: term, exact: id, known: known}
	df := 0
	if known {
		df = ix.frequency(id)
	}
	p.idf = float32(inverseDocumentFrequency(ix.counts.chunks, df))

	bound := max(10, int(commonShare*float64(ix.counts.chunks)))
	together := df
	relate := func(family []uint32, weight float32) {
		sum := 0
		for _, other := range family {
			sum += ix.frequency(other)
		}
		if weight < 1 && sum > bound {
			return
		}
		for _, other := range family {
			if known && other == id || slices.ContainsFunc(p.related, func(r relative) bool { return r.term == other }) {
				continue
			}
			p.related = append(p.related, relative{other, weight})
			together += ix.frequency(other)
		}
	}
	keys := lexicon.Roots(term)
	for _, r := range keys {
		weight := float32(1)
		if len(keys) > 1 {
			if text.IsStopWord(r) {
				continue
			}
			weight = characterShare
		}
		relate(ix.families[r], weight)
	}
	for _, other := range lexicon.Relatives(term) {
		if same, held := ix.terms[other]; held && lexicon.IsUnspaced(other) {
			relate([]uint32{same}, 1) // not what shares a character with it
		}
		if r := lexicon.Roots(other); len(r) == 1 {
			relate(ix.families[r[0]], 1)
		}
	}
	p.relatedIDF = float32(inverseDocumentFrequency(ix.counts.chunks, min(together, ix.counts.chunks)))
	return p
}

// addressed finds the speaker that others call by a name other than the stored one: a
// nickname, or the real name of an account. The name must occur three times, rarely
// in the speaker's own turns, and in turns next to them.
func (ix *index) addressed(term string) (speaker uint16, ok bool) {
	id, known := ix.terms[term]
	if !known || len(ix.speakers) < 2 || ix.postings[id].N < 3 {
		return 0, false
	}
	uses := 0
	said, beside := make([]int, len(ix.speakers)), make([]int, len(ix.speakers))
	for at := range ix.postings[id].All() {
		doc := ix.chunks.Doc(at)
		l := &ix.meta[doc]
		if !l.said() {
			continue
		}
		uses++
		said[l.speaker]++
		for _, n := range [...]int32{ix.docs[doc].prev, ix.docs[doc].next} {
			if n >= 0 && ix.meta[n].speaker != l.speaker {
				beside[ix.meta[n].speaker]++
			}
		}
	}
	if uses < 3 {
		return 0, false
	}
	for s := range ix.speakers {
		s := uint16(s)
		if said[s]*10 <= uses && beside[s] >= uses && (!ok || beside[s] > beside[speaker]) {
			speaker, ok = s, true
		}
	}
	return speaker, ok
}

// answerKind is the kind of answer that a question with these terms asks for.
func answerKind(terms []string) (k kindOfAnswer) {
	for _, t := range terms {
		if lexicon.IsUnspaced(t) {
			k |= answerKindOf(t)
		}
		if whenWord[t] {
			k |= asksWhen
		}
		if howManyWord[t] {
			k |= asksNumber
		}
		if whoWord[t] {
			k |= asksWho
		}
		if nameWord[t] {
			k |= asksName
		}
	}
	return k
}

// answerKindOf reads the question words inside Chinese bigrams.
func answerKindOf(term string) (k kindOfAnswer) {
	if strings.ContainsRune(term, '谁') || strings.ContainsRune(term, '誰') {
		k |= asksWho
	}
	if strings.ContainsAny(term, "几幾") {
		k |= asksNumber
	}
	return k
}

// Words that indicate what a question asks for.
var (
	whenWord    = text.TermsOf("when date day month year week weekend long ago recently last first 时候 何时 哪天 几号 几月 哪年 哪一")
	howManyWord = text.TermsOf("many much old often times price cost amount 多少 几个 多大 多久")
	whoWord     = text.TermsOf("who whom whose name")
	nameWord    = text.TermsOf("where which what city country place")
)
