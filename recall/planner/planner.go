// Package planner reads from a question, by word lists alone, how it is best searched
// for: its intent, the simpler questions that it consists of, and texts as answers to
// it might read (cognitive-v9.md, Retrieval Strategy Router, Multi-Query Decomposition
// and HyDE). It calls no model and knows English and Turkish.
package planner

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/emotion"
	"github.com/ebbmem/ebb/internal/text"
)

// Bounds of a plan.
const (
	MaxQueries    = 4 // with the question itself
	MaxHypotheses = 3
)

// Question is what is planned for.
type Question struct {
	Text string
}

// A Func plans how a question is searched for. It must be fast, safe for concurrent
// use, and a function of its argument alone.
type Func func(Question) Plan

// Plan is how a question is searched for.
type Plan struct {
	Intent Intent
	// Queries are the question and the simpler ones that it consists of. They are
	// searched for one by one, and their results fused.
	Queries []string
	// Hypotheses are texts as answers may read. With an embedder, the mean of their
	// vectors and the question's is what is looked for.
	Hypotheses []string
	// Hops is how many relations in a row are followed from the best results, of the
	// types in Links. 0 follows none.
	Hops  int
	Links []string
	// Superseded includes memories that hold no more, marked as such.
	Superseded bool
	// Together tells the scorer what was shown together with the best candidates three
	// times or more.
	Together bool
	// Mood is the valence of the question's words, −1 to 1 ([emotion.Of]).
	Mood float64
	// Strategy weighs the arms and signals.
	Strategy
}

// Usable is the plan without what cannot be searched for: texts that are empty, longer
// than most bytes or not UTF-8, repeated ones, and those beyond the bounds. The
// question stands first in Queries.
func (p Plan) Usable(question string, most int) Plan {
	texts := func(all, from []string, bound int) []string {
		for _, s := range from {
			if strings.TrimSpace(s) != "" && len(s) <= most && utf8.ValidString(s) && !slices.Contains(all, s) && len(all) < bound {
				all = append(all, s)
			}
		}
		return all
	}
	p.Queries, p.Hypotheses = texts([]string{question}, p.Queries, MaxQueries), texts(nil, p.Hypotheses, MaxHypotheses)
	return p
}

// fusionK is the constant of reciprocal rank fusion.
const fusionK = 60

// Fuse merges rankings of ids by reciprocal rank fusion, K = 60. Ties go to the
// smaller id.
func Fuse(rankings [][]int64) []int64 {
	score := make(map[int64]float64)
	for _, ranking := range rankings {
		for rank, id := range ranking {
			score[id] += 1 / float64(fusionK+rank+1)
		}
	}
	return slices.SortedFunc(maps.Keys(score), func(a, b int64) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
}

// Strategy is how the results of an intent are ordered, and how many there are.
type Strategy struct {
	Vector, Text float64 // weights of the arms in their fusion
	Limit        int     // of results, where the caller names none
	Utility      float64 // what utility adds to the score
}

// Intent is what a question is after.
type Intent string

// The intents.
const (
	Factual       Intent = "factual"
	Temporal      Intent = "temporal"
	Causal        Intent = "causal"
	EntityProfile Intent = "entity_profile"
	Preference    Intent = "preference"
	General       Intent = "general"
)

// strategies are those of cognitive-v9.md.
var strategies = map[Intent]Strategy{
	Factual:       {Vector: 0.6, Text: 0.4, Limit: 10, Utility: 0.2},
	Temporal:      {Vector: 0.4, Text: 0.6, Limit: 15},
	Causal:        {Vector: 0.3, Text: 0.3, Limit: 20},
	EntityProfile: {Vector: 0.5, Text: 0.5, Limit: 15, Utility: 0.3},
	Preference:    {Vector: 0.5, Text: 0.5, Limit: 10},
	General:       {Vector: 0.5, Text: 0.5, Limit: 10, Utility: 0.2},
}

// StrategyOf returns the strategy of an intent.
func StrategyOf(i Intent) Strategy { return strategies[i] }

// Cognitive is the planner of cognitive-v9.md.
func Cognitive(q Question) Plan {
	p := Plan{Intent: IntentOf(q.Text), Mood: emotion.Of(q.Text).Valence, Together: true}
	p.Superseded = p.Intent == Temporal
	p.Strategy = strategies[p.Intent]
	if p.Intent == Causal {
		p.Hops, p.Links = 2, []string{"causes", "elaborates"}
	}
	p.Queries = append([]string{q.Text}, Decompose(q.Text)...)
	p.Hypotheses = Hypotheses(q.Text)
	return p
}

// The patterns of intents, on folded text. The first that matches decides.
var intents = []struct {
	intent  Intent
	pattern *regexp.Regexp
}{
	{Causal, words(`why|how come|what (?:caused|led to|made)|because of|the reason|reasons? (?:for|why)|neden|nicin|niye|sebebi|nedeni|yuzunden`)},
	{Temporal, words(`when|what (?:time|day|date|year|month)|how long|how (?:recently|often)|since when|until when|before|after|first time|last time|latest|previously|yesterday|today|tomorrow|last (?:week|month|year)|ne zaman|hangi (?:gun|tarih|yil|ay)|kac (?:gun|ay|yil)|dun|bugun|yarin|gecen (?:hafta|ay|yil)|en son|ilk kez|once|sonra`)},
	{Preference, words(`prefers?|preferences?|favou?rites?|likes?|loves?|enjoys?|hates?|dislikes?|tercih(?:i|leri|im)?|sever(?:im|sin|ler)?|sevdigi\w*|seviyor\w*|sevmez|favori\w*|hoslan\w*|nefret`)},
	{EntityProfile, words(`who (?:is|are|was|were)|whos|tell me about|what do (?:you|we|i) know about|describe|everything about|kim(?:dir)?|hakkinda|kimdi`)},
	{Factual, words(`what|which|where|who|whose|how (?:many|much|old|big|far)|did|does|do|is|are|was|were|has|have|hangi|nerede|nereye|nereden|kac|ne|nedir|mi|mu`)},
}

func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\p{L}\p{N}])(?:` + alternatives + `)(?:[^\p{L}\p{N}]|$)`)
}

// fold folds s; the dotless ı of Turkish counts as i.
func fold(s string) string { return strings.ReplaceAll(text.Fold(s), "ı", "i") }

// IntentOf returns the intent of a question.
func IntentOf(question string) Intent {
	folded := fold(question)
	for _, i := range intents {
		if i.pattern.MatchString(folded) {
			return i.intent
		}
	}
	return General
}

// maxPlanned is the longest question that is taken apart, in bytes: a longer one is no
// question, but a text.
const maxPlanned = 1000

var (
	// joints stand between two questions in one.
	joints = regexp.MustCompile(`(?i)[?？]+\s*|\s*[,;]?\s+(?:and also|as well as|and then|ve ayrıca|ve ayrica|bir de|ayrıca)\s+|\s*[,;]?\s+(?:and|ve)\s+(?:what|when|where|who|whom|whose|which|why|how|did|does|do|is|are|was|were|has|have|can|could|ne|neden|nasıl|nerede|nereye|kim|kaç|hangi)(?:\s)`)
	// lists are several names joined by a conjunction.
	lists = regexp.MustCompile(`\p{Lu}[\p{L}'’]+(?:,\s+\p{Lu}[\p{L}'’]+)*,?\s+(?:and|ve|or|ya da|und|y)\s+\p{Lu}[\p{L}'’]+`)
	comma = regexp.MustCompile(`,\s+|,?\s+(?:and|ve|or|ya da|und|y)\s+`)
)

// Decompose returns the simpler questions that a compound one consists of, at most
// three; none for a simple question. "Where does Ada live, and when did Bo move?" is
// two questions, and so is "What do Ada and Bo like?".
func Decompose(question string) []string {
	if len(question) > maxPlanned || !utf8.ValidString(question) {
		return nil
	}
	parts := clauses(question)
	if len(parts) < 2 {
		parts = byName(question)
	}
	if len(parts) < 2 {
		return nil
	}
	return parts[:min(len(parts), MaxQueries-1)]
}

// clauses splits a question at its joints. Where a part asks too little by itself,
// nothing is split off.
func clauses(question string) (parts []string) {
	from := 0
	for _, at := range append(joints.FindAllStringIndex(question, -1), []int{len(question), len(question)}) {
		if at[0] < from {
			continue
		}
		part := strings.TrimFunc(question[from:at[0]], func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
		if asks(part) {
			parts = append(parts, part)
		}
		from = at[1]
		if joint := strings.Fields(question[at[0]:at[1]]); len(joint) > 1 && at[1] < len(question) {
			if last := joint[len(joint)-1]; !slices.Contains(connectives, strings.ToLower(last)) {
				from = at[0] + strings.LastIndex(question[at[0]:at[1]], last) // the question word belongs to what follows
			}
		}
	}
	return distinct(parts)
}

var connectives = []string{"also", "as", "then", "ayrıca", "ayrica", "de"}

// asks reports a part with at least two words that say something.
func asks(part string) bool { return len(text.QueryTerms(part, 2)) >= 2 }

// distinct drops parts that ask for the same words as one before.
func distinct(parts []string) []string {
	var seen []string
	return slices.DeleteFunc(parts, func(part string) bool {
		terms := strings.Join(text.QueryTerms(part, 64), " ")
		known := slices.Contains(seen, terms)
		seen = append(seen, terms)
		return known
	})
}

// byName repeats a question about several people for each of them.
func byName(question string) (parts []string) {
	at := lists.FindStringIndex(question)
	if at == nil || at[0] == 0 { // a capital may begin a sentence
		return nil
	}
	names := comma.Split(question[at[0]:at[1]], -1)
	if len(names) < 2 || len(names) > MaxQueries-1 || len(text.QueryTerms(question[:at[0]]+question[at[1]:], 1)) == 0 {
		return nil
	}
	for _, name := range names {
		parts = append(parts, strings.TrimSpace(question[:at[0]]+name+question[at[1]:]))
	}
	return distinct(parts)
}
