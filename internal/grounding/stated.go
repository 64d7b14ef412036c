package grounding

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// Adds returns the first part of the statement that a sentence said at that time
// does not hold, "" if the statement says no more than the sentence: a name, number,
// date or word. A speaker's own name stands for "I". licensed are further words that
// the statement may use.
func (s Statement) Adds(sentence string, at time.Time, speaker, licensed []string) string {
	return s.addsTo(sentence, sentence, at, selfNames(text.Fold(sentence), speaker), licensed)
}

// addsTo is Adds for a part of a sentence. A date may stand elsewhere in the sentence
// if it is the only one.
func (s Statement) addsTo(part, sentence string, at time.Time, self map[string]bool, licensed []string) string {
	dated := part
	if len(text.TimeSpans(sentence, at)) == 1 {
		dated = sentence
	}
	if missing := s.missing([]Turn{{Text: part, At: at}}, []Turn{{Text: dated, At: at}}, self); missing != "" {
		return missing
	}
	known := text.TermsOf(slices.Concat([]string{part}, slices.Collect(maps.Keys(self)), licensed)...)
	for _, t := range s.stated {
		if !known[t] && !framing[t] && len(numbersIn(t)) == 0 && (len(s.numbers) == 0 || !ofAge[t]) && !slices.ContainsFunc(synonyms[t], func(w string) bool { return known[w] }) {
			return t
		}
	}
	folded := text.Fold(part)
	for _, q := range s.qualifiers {
		if !HoldsWord(folded, q) {
			return q
		}
	}
	for _, c := range s.counted {
		if !countedIn(c, countTerms(part)) {
			return c[0]
		}
	}
	return ""
}

// The words that a statement about a person needs besides what it states, stemmed.
var (
	framing = text.TermsOf("user users benutzer benutzerin nutzer nutzerin usuario usuaria called named name also currently")
	ofAge   = text.TermsOf("year years old age aged")
)

// synonyms are words that say the same of a person, stemmed.
var synonyms = func() map[string][]string {
	all := make(map[string][]string)
	for _, group := range []string{"kid child children", "mum mom mother", "dad father", "like love enjoy", "hate dislike detest", "flat apartment", "phone telephone", "bike bicycle", "job work", "cannot cant"} {
		terms := text.Terms(group)
		for _, t := range terms {
			all[t] = terms
		}
	}
	return all
}()

// qualifier matches function words that a statement may not add.
var qualifier = regexp.MustCompile(`\b(?:only|all|every|each|without|most|more|than|before|after|until|again|both|against|except|under|over)\b`)

var thousands = regexp.MustCompile(`(\d),(\d{3})\b`)

// countTerms are the terms of a text with each number as one.
func countTerms(s string) []string { return text.Terms(thousands.ReplaceAllString(s, "$1$2")) }

// counted are the numbers of a text, each followed by the word that it counts.
func counted(s string) (pairs [][2]string) {
	terms := countTerms(s)
	for i, t := range terms[:max(0, len(terms)-1)] {
		if n := numbersIn(t); len(n) == 1 && !ofAge[terms[i+1]] && !text.IsStopWord(terms[i+1]) {
			pairs = append(pairs, [2]string{n[0], terms[i+1]})
		}
	}
	return pairs
}

// countedIn reports whether a number counts the same word in what was said. It does
// where the word does not follow the number there: "the rent is 900".
func countedIn(pair [2]string, said []string) bool {
	for i, t := range said {
		if n := numbersIn(t); len(n) != 1 || n[0] != pair[0] {
			continue
		}
		if slices.Contains(said[i+1:min(len(said), i+3)], pair[1]) || !slices.Contains(said, pair[1]) {
			return true
		}
	}
	return false
}

// StatedIn returns the sentence of a turn said at that time that states the claim, ""
// if none does: it holds every name, number, date and word of the claim in one clause,
// of the same person, with the same negation, and asserts it. A claim of several
// clauses needs as many in the same order.
func (s Statement) StatedIn(turn string, at time.Time, speaker []string) string {
	before := ""
	for _, sentence := range text.Sentences(ownText(turn)) {
		if s.assertedBy(sentence, at, speaker) || before != "" && refersBack.MatchString(text.Fold(sentence)) && s.assertedBy(before+" "+sentence, at, speaker) {
			if !strings.Contains(turn, sentence) {
				return s.Quote(turn)
			}
			return sentence
		}
		before = sentence
	}
	return ""
}

// refersBack matches pronouns for somebody of the sentence before.
var refersBack = regexp.MustCompile(`^(?:and |but )?(?:he|she|they|it|his|her|their|its|er|ella|él)\b`)

// quotation matches quoted texts of more than three words.
var quotation = regexp.MustCompile(`"[^"\s]+(?:\s+[^"\s]+){3,}"|“[^”\s]+(?:\s+[^”\s]+){3,}”|„[^“\s]+(?:\s+[^“\s]+){3,}“|«[^»\s]+(?:\s+[^»\s]+){3,}»|(?m)^>.*$`)

// ownText removes quotations from a turn.
func ownText(turn string) string { return quotation.ReplaceAllString(turn, "…") }

// clauseEnd matches what separates clauses. apposition is a name between commas.
var (
	clauseEnd  = regexp.MustCompile(`(?i)[,;:()–—，；：、]|\s-\s|\b(?:but|and|or|while|whereas|although|though|because|so that|who|which|aber|und|oder|weil|während|pero|y|o|porque|mientras)\b`)
	apposition = regexp.MustCompile(`,\s*(\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*)*)\s*,`)
	trailing   = regexp.MustCompile(`^[\s.!?…]*$`)
)

// clauses returns the clauses of a text.
func clauses(s string) []string {
	s = apposition.ReplaceAllString(s, " $1 ")
	return slices.DeleteFunc(clauseEnd.Split(s, -1), func(c string) bool { return trailing.MatchString(c) })
}

// assertedBy reports whether a text of one or two sentences states the claim.
func (s Statement) assertedBy(said string, at time.Time, speaker []string) bool {
	if text.EndsAsking(said) {
		return false
	}
	all, self := clauses(said), selfNames(text.Fold(said), speaker)
	for n := 1; n <= min(len(all), len(s.clauses)); n++ {
		for i := range len(all) - n + 1 {
			before, part := strings.Join(all[:i], " , "), strings.Join(all[i:i+n], " ")
			carried := s.subjectIn(before, self)
			known := maps.Clone(self)
			for _, w := range carried {
				known[w] = true
			}
			if n > 1 && !InOrder(s.stated, text.Terms(part)) || s.addsTo(part, said, at, known, carried) != "" {
				continue
			}
			if Denial.MatchString(answer.ReplaceAllString(part, "")) == s.denied && !s.doubted(before+" , "+part, part) && s.sameSubject(before, part, self) {
				return true
			}
		}
	}
	return false
}

// subjectIn returns the words for the claim's subject that the clauses before hold, as
// in "my sister Noor lives in Bergen and has two cats". A name counts only if it is the
// first one there.
func (s Statement) subjectIn(before string, self map[string]bool) (subject []string) {
	claimed, thing := s.about(self)
	if before == "" || claimed == oneself {
		return nil
	}
	if claimed == ones && slices.Contains(text.Terms(before), thing) {
		subject = append(subject, thing)
	}
	for _, m := range text.Mentions(before) {
		name := text.Fold(m.Text)
		if m.Type != text.MentionName || self[name] {
			continue
		}
		if slices.Contains(s.names, name) && (strings.HasPrefix(s.folded, name) || claimed == ones) {
			subject = append(subject, name)
		}
		break
	}
	return subject
}

// answer matches a "no" that answers another message: "No no, it is called …".
var answer = regexp.MustCompile(`(?i)^\W*(?:no[\s,.!]+)+`)

// InOrder reports whether the terms that both texts contain have one order.
func InOrder(terms, said []string) bool {
	left := said
	for _, t := range terms {
		if !slices.Contains(said, t) {
			continue
		}
		at := slices.Index(left, t)
		if at < 0 {
			return false
		}
		left = left[at+1:]
	}
	return true
}

// doubtful matches what a speaker does not assert: a wish, a plan, a condition, the
// past. reported matches other people's words, unless ownSay matches: the speaker says it.
var (
	doubtful = regexp.MustCompile(`\b(?:if|unless|whether|would|could|might|may|maybe|perhaps|probably|want|wants|wanted|wish|wishes|hope|hopes|hoping|dream|dreamt|dreamed|imagine|suppose|almost|nearly|should|used to|pretend|think of|thinking of|thinking about|consider|considering|plan|plans|planning|going to|someday|one day|formerly|previously|former|` +
		`wenn|falls|vielleicht|möchte|mochte|würde|wurde gern|könnte|konnte|früher|fruher|si|quizás|quizas|tal vez|quiero|quisiera|podría|podria|antes)\b|如果|要是|也许|也許|可能|想要|希望|打算|以前`)
	reported = regexp.MustCompile(`\b(?:said|says|told|tells|wrote|writes|heard|claims|claimed|thinks|believes|sagt|sagte|dice|dijo)\b`)
	ownSay   = regexp.MustCompile(`\b(?:i|we|i've|i have|ich|yo) (?:already |just |also )?(?:said|told|wrote)\b`)
)

// doubted reports whether a clause, with those before it, does not assert what the
// claim asserts.
func (s Statement) doubted(upTo, part string) bool {
	for _, w := range doubtful.FindAllString(text.Fold(part), -1) {
		if !HoldsWord(s.folded, w) && !slices.ContainsFunc(text.Terms(w), func(t string) bool { return slices.Contains(s.stated, t) }) {
			return true
		}
	}
	folded := text.Fold(upTo)
	if reported.MatchString(ownSay.ReplaceAllString(folded, "")) && !reported.MatchString(s.folded) {
		return true
	}
	return slices.ContainsFunc([]string{"if", "wenn", "falls", "unless", "imagine", "pretend", "suppose"}, func(w string) bool {
		return HoldsWord(folded, w) && !HoldsWord(s.folded, w)
	})
}

// person is the subject of a clause or a claim.
type person int

const (
	unknown person = iota
	oneself        // I
	ones           // my sister
	another        // Noor, she
)

var (
	firsts   = text.WordSet("i i'm im i've ive i'd i'll we we're we've we'd me us myself ich mich mir wir uns yo nosotros nosotras me nos")
	mines    = text.WordSet("my our mine mein meine meinen meinem meiner unser unsere unseren mi mis nuestro nuestra nuestros nuestras")
	theirs   = text.WordSet("he she they he's she's they're it's his her their him them its er ihr ihre sein seine él ella ellos su sus you your you're")
	users    = text.WordSet("user users benutzer benutzerin nutzer nutzerin usuario usuaria")
	articles = text.WordSet("the der die el la")
	wordRun  = regexp.MustCompile(`[\p{L}\p{N}'’]+`)
	kinHan   = regexp.MustCompile(`[我咱](?:们)?(?:的|家|姐|妹|哥|弟|妈|媽|爸|爷|奶|朋友|同事|老婆|老公|妻|丈夫|儿子|女儿|男友|女友|室友)`)
)

// about returns the subject of the claim, and of "the user's sister" the word "sister".
func (s Statement) about(self map[string]bool) (p person, thing string) {
	tokens := wordRun.FindAllString(s.folded, -1)
	for i, w := range tokens {
		switch bare, owns := strings.CutSuffix(w, "'s"); {
		case i == 0 && articles[w]:
			continue
		case firsts[w], !owns && (users[w] || self[w]):
			return oneself, ""
		case mines[w], owns && (users[bare] || self[bare]):
			for _, next := range tokens[i+1:] {
				if t := text.Terms(next); len(t) == 1 && !text.IsStopWord(next) && !(i+2 < len(tokens) && self[next]) {
					return ones, t[0]
				}
			}
			return ones, ""
		case i == 0 || i == 1 && articles[tokens[0]]:
			return another, ""
		}
	}
	return unknown, ""
}

// sameSubject reports whether a clause is about the person that the claim is about.
func (s Statement) sameSubject(before, part string, self map[string]bool) bool {
	claimed, thing := s.about(self)
	if others := slices.DeleteFunc(slices.Clone(s.names), func(n string) bool { return self[n] }); len(others) > 1 &&
		!InOrder(text.Terms(strings.Join(others, " ")), text.Terms(part)) {
		return false
	}
	if strings.ContainsFunc(part, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		own := strings.ContainsAny(before+part, "我咱俺")
		return own == strings.Contains(s.folded, "用户") && (strings.Contains(s.folded, "的") || !kinHan.MatchString(part))
	}
	tokens := append(wordRun.FindAllString(before, -1), wordRun.FindAllString(part, -1)...)
	skipped := len(wordRun.FindAllString(before, -1))
	first := len(tokens)
	for i, w := range tokens[skipped:] {
		folded := text.Fold(w)
		if t := text.Terms(folded); len(t) == 1 && slices.Contains(s.stated, t[0]) && !framing[t[0]] && !s.isName(folded) && !self[folded] {
			first = skipped + i
			break
		}
	}
	named := make(map[string]bool)
	for _, m := range text.Mentions(part) {
		for w := range strings.FieldsSeq(text.Fold(m.Text)) {
			named[w] = m.Type == text.MentionName
		}
	}
	said, of := unknown, ""
	for i := min(first, len(tokens)-1); i >= 0 && said == unknown; i-- {
		w := strings.ReplaceAll(text.Fold(tokens[i]), "’", "'")
		bare := strings.TrimSuffix(w, "'s")
		switch {
		case firsts[w]:
			said = oneself
		case mines[w]:
			said = ones
			for _, next := range tokens[i+1 : min(len(tokens), i+4)] {
				t := text.Terms(next)
				if len(t) == 1 && (claimed == ones && t[0] == thing || claimed != ones && slices.Contains(s.stated, t[0])) {
					of = t[0]
					break
				}
				if claimed != ones && !text.IsStopWord(text.Fold(next)) {
					break // "my sister lives in Oslo" is not about the speaker
				}
			}
		case theirs[w], i < first && !self[bare] && (s.isName(bare) || named[bare]):
			said = another
		}
	}
	switch claimed {
	case oneself:
		return said == oneself || said == ones && of != "" || said == unknown && len(self) > 0
	case ones:
		if said == ones {
			return of == thing || thing == "" || s.isName(thing)
		}
		// "My sister is Noor. She lives …", "my dog Biscuit is 4", "I have a sister called Rosa"
		return said == another && follows(tokens, mines, thing) || follows(tokens, possession, thing)
	case another, unknown:
		return said != oneself || slices.ContainsFunc(tokens, func(w string) bool { return possession[text.Fold(w)] }) && framedByUser.MatchString(s.folded)
	}
	return false
}

// follows reports whether a term follows one of the words, with at most two between.
func follows(tokens []string, after map[string]bool, term string) bool {
	for i, w := range tokens {
		if after[text.Fold(w)] && slices.Contains(text.Terms(strings.Join(tokens[i+1:min(len(tokens), i+4)], " ")), term) {
			return true
		}
	}
	return false
}

var (
	possession   = text.WordSet("have have had has own got bought adopted i've habe hab tengo")
	framedByUser = regexp.MustCompile(`\b(?:user|user's|i|my)\b`)
)

// isName reports whether a folded word is part of a name of the claim.
func (s Statement) isName(word string) bool {
	return slices.ContainsFunc(s.names, func(name string) bool { return HoldsWord(name, word) })
}
