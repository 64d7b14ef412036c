package lexicon

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Plan is what a question asks for beyond its words: a time, a date, the last
// conversation, what is known about the user, or the topic of the conversation.
// [PlanOf] reads it from the question alone, in English, German, Spanish and
// Chinese. A search with a plan ranks the memories that the plan is about first,
// gives the reason in its results, and counts them as relevant.
//
// Questions about the world ("What's the weather tomorrow?") and tasks ("Write a
// poem about last summer") have an empty plan.
type Plan struct {
	// Spans are the times asked about.
	Spans []Span
	// Story says that nothing but the time is asked about: "What did I do
	// yesterday?".
	Story bool
	// When says that the date of something is asked for.
	When bool
	// About is what is asked about in place of words; "" for none.
	About About
	// Bare says that the question depends on the conversation: "And where?".
	Bare bool
	// World says that the question is about the calendar or the clock alone, which
	// no memory answers.
	World bool
	// Personal says that the user asks about themselves, Agent that it may be about what
	// another agent did: "What did the coding agent get done?".
	Personal, Agent bool

	// Talk are the last texts of the running conversation, oldest first. A bare
	// question is searched together with them.
	Talk []string
	// Session is the name of the running conversation. Its stored turns join Talk,
	// and it does not count as the last conversation. If it is empty, the running
	// conversation is what was said without a session since Began; zero is none.
	Session string
	Began   time.Time
	// Carry are the ids of memories that were injected in the last turn. A bare
	// question keeps them.
	Carry []string

	// Words are the content words of the question, folded.
	Words []string
	// AsksDate says that the question asks for a date, within Spans or at any time.
	AsksDate bool
	// Advice says that the question asks what should or may be done.
	Advice bool
	// Definite says that the question asks for one thing by a word, "the wedding", or by
	// a word and its owner, "Noor's wedding".
	Definite bool

	generic bool // it asks what happened, to anyone
	short   bool // it may depend on the conversation
}

// MayBeBare reports a short question that may depend on the conversation although
// no word of it points back. The caller searches it together with Talk if it finds
// nothing without.
func (p *Plan) MayBeBare() bool {
	return !p.Bare && p.short && !p.When && p.About == "" && (p.Personal || len(p.Words) < MaxBareWords)
}

// Span is a half-open time that a question asks about.
type Span struct {
	Start, End time.Time
}

// About is what a question asks about in place of words.
type About string

// What a question may be about.
const (
	AboutSelf     About = "self"      // what is known about the user
	AboutLastTalk About = "last talk" // the conversation before this one
)

// Active reports whether the plan changes a search.
func (p *Plan) Active() bool {
	return p != nil && (len(p.Spans) > 0 || p.When || p.About != "" || p.Bare)
}

// Subject names what the plan ranks first; "" if the plan is not active.
func (p *Plan) Subject() string {
	switch {
	case p.About == AboutLastTalk:
		return "the last conversation"
	case p.About == AboutSelf:
		return "the user"
	case len(p.Spans) > 0:
		return "a time"
	case p.When:
		return "the date of something"
	case p.Bare:
		return "the running conversation"
	}
	return ""
}

// PlanOf reads a question asked at now, in now's location.
func PlanOf(question string, now time.Time) Plan {
	folded := text.Fold(question)
	spans := text.TimeSpans(question, now)
	rest := []byte(question)
	for _, s := range spans {
		for i := range len(s.Text) {
			rest[s.Offset+i] = ' '
		}
	}
	words := plainWords(text.Fold(string(rest)))
	p := Plan{Personal: personal(words, folded)}
	p.Words = contentWords(words, string(rest))
	p.Advice = slices.ContainsFunc(words, func(w string) bool { return adviceWord[w] }) || strings.Contains(folded, "应该")
	if isTask(plainWords(folded), folded) {
		return p
	}
	p.About = aboutOf(folded, p.Words)
	if p.About != "" && (p.About == AboutSelf && !selfTold.MatchString(folded) || len(spans) == 0) {
		return p
	}
	p.About = ""
	asks := isAsked(question, plainWords(folded), folded)
	ofTheWorld := slices.ContainsFunc(words, func(w string) bool { return worldWord[w] }) || containsAny(folded, worldHan) || clockAsked.MatchString(folded)
	p.generic = slices.ContainsFunc(words, func(w string) bool { return happeningWord[w] }) || containsAny(folded, happeningHan)
	p.When = asks && !ofTheWorld && whenAsked.MatchString(folded)
	if p.When {
		owned := hasGenitive(question, folded, p.Words)
		p.Definite = len(p.Words) == 1 && (definite.MatchString(folded) || text.HasHan(folded)) || len(p.Words) == 2 && owned
		p.AsksDate = true
		p.When = len(spans) == 0 && len(p.Words) > 0
	}
	goesOn := len(spans) > 0 && anotherTime.MatchString(text.Fold(string(rest)))
	if goesOn {
		p.Words = nil
	}
	p.World = !goesOn && len(p.Words) == 0 && !p.Personal && !p.generic && (len(spans) > 0 || clockAsked.MatchString(folded))
	p.Agent = agentAsked.MatchString(folded)
	if goesOn || asks && !ofTheWorld && len(spans) > 0 && (p.Personal || p.Agent || p.generic && len(p.Words) == 0) {
		p.Story = len(p.Words) == 0
		of := tenseOf(folded)
		if goesOn { // it is that of the question before
			of = unclear
		}
		for _, s := range spans {
			p.Spans = append(p.Spans, spansAsked(s, now, of)...)
		}
	}
	if p.About == "" && len(spans) == 0 && !ofTheWorld {
		p.Bare = isBare(question, folded, words, p.Words)
		p.short = isShort(question, words, p.Words)
	}
	return p
}

// tense is that of a question.
type tense int

const (
	unclear tense = iota
	past
	ahead
)

// spansAsked are the times that an expression means in a question: the last or the next
// occurrence by the tense of the question, and the next and the last one if that is unclear. A time
// that is not over is neither.
func spansAsked(s text.TimeSpan, now time.Time, of tense) []Span {
	last, next := Span{s.Start, s.End}, Span{s.NextStart, s.NextEnd}
	switch {
	case s.NextStart.IsZero() || s.End.After(now) || of == past:
		return []Span{last}
	case of == ahead:
		return []Span{next}
	}
	return []Span{next, last}
}

// tenseOf reads the tense of a folded question.
func tenseOf(folded string) tense {
	if pastHan.MatchString(folded) {
		return past
	}
	folded = germanWhat.ReplaceAllString(folded, "$1")
	isPast := pastAsked.MatchString(folded) || germanHave.MatchString(folded) && germanParticiple.MatchString(folded)
	told := germanPastVerb.MatchString(folded) || !IsGerman(folded) && pastVerb.MatchString(folded)
	isAhead := aheadAsked.MatchString(folded)
	switch {
	case isAhead && !isPast && !told && !doubtful.MatchString(folded) || freeAsked.MatchString(folded):
		return ahead
	case isPast || !isAhead && (told || pastParticiple.MatchString(folded) && !beAsked.MatchString(folded)):
		return past
	}
	return unclear
}

// plainWords are the words of a folded text.
func plainWords(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
}

func containsAny(s string, some []string) bool {
	return slices.ContainsFunc(some, func(part string) bool { return strings.Contains(s, part) })
}

// contentWords are the words that name the topic of a question.
func contentWords(words []string, rest string) (content []string) {
	for _, w := range words {
		w, _, _ = strings.Cut(w, "'")
		if w == "" || text.HasHan(w) || emptyWord[w] || text.IsStopWord(w) {
			continue
		}
		content = append(content, w)
	}
	if !text.HasHan(rest) {
		return content
	}
	han := text.WithoutFunctionWords(emptyHan.Replace(rest))
	for run := range strings.FieldsFuncSeq(han, func(r rune) bool { return !unicode.Is(unicode.Han, r) }) {
		if functionalHan(run) {
			continue
		}
		content = append(content, run)
	}
	return content
}

// functionalHan reports a run of Chinese that holds no content word.
func functionalHan(run string) bool {
	return strings.Trim(run, functionCharacters+"做干忙见去上下请帮看说讲聊谈吃买有要会事来") == ""
}

// personal reports a question of the user about themselves.
func personal(words []string, folded string) bool {
	return strings.ContainsAny(folded, "我咱俺") || slices.ContainsFunc(words, func(w string) bool {
		w, _, _ = strings.Cut(w, "'")
		return firstPersonWord[w]
	})
}

// hasGenitive reports a question that names the owner of something: "Noor's wedding", "the
// wedding of Noor", "Noors Hochzeit", "la boda de Noor", "诺尔的婚礼".
func hasGenitive(question, folded string, content []string) bool {
	if ofOwner.MatchString(folded) || ownerHan.MatchString(folded) {
		return true
	}
	isContent := func(word string) bool { return slices.Contains(content, word) }
	words := strings.Fields(question)
	for i, w := range words[:max(0, len(words)-1)] {
		w = strings.Trim(text.Fold(w), "¿¡\"(")
		if owner, _, is := strings.Cut(w, "'"); is {
			if (strings.HasSuffix(w, "'s") || strings.HasSuffix(w, "s'")) && isContent(owner) {
				return true
			}
			continue
		}
		if i > 0 && strings.HasSuffix(w, "s") && isContent(w) && isCapital(words[i]) && isCapital(words[i+1]) && IsGerman(question) {
			return true
		}
	}
	return false
}

// isCapital reports a word with a capital letter at its start.
func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// isTask reports a request to do or make something.
func isTask(words []string, folded string) bool {
	for len(words) > 0 && courtesyWord[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	if taskWord[words[0]] {
		return true
	}
	if len(words) > 2 && askingOfYou[words[0]+" "+words[1]] && !recallWord[words[2]] && !(len(words) > 3 && recallWord[words[3]]) {
		return true
	}
	return taskHan.MatchString(folded)
}

// isAsked reports a question, or a request to recall something.
func isAsked(question string, words []string, folded string) bool {
	if strings.ContainsAny(question, "?？") || askedHan.MatchString(folded) || askedLast.MatchString(folded) {
		return true
	}
	for len(words) > 0 && courtesyWord[words[0]] {
		words = words[1:]
	}
	return len(words) > 0 && (recallWord[words[0]] || openingWord[words[0]])
}

// aboutOf is what a question asks about in place of words, "" for none.
func aboutOf(folded string, content []string) About {
	if lastTalkAsked.MatchString(folded) {
		return AboutLastTalk
	}
	if selfAsked.MatchString(folded) || len(content) == 0 && selfHan.MatchString(folded) {
		return AboutSelf
	}
	return ""
}

// MaxBareWords is the most content words that a bare question may hold.
const MaxBareWords = 2

// isBare reports a message that depends on the conversation: it has few content
// words, and points back.
func isBare(question, folded string, words, content []string) bool {
	if len(content) > MaxBareWords || text.IsSmallTalk(question) || len(folded) > 120 {
		return false
	}
	if len(content) == 0 {
		return true
	}
	if namesSomebody(question) {
		return false
	}
	if len(words) > 0 && joinsOn[words[0]] || strings.HasPrefix(folded, "那") {
		return true
	}
	for i, w := range words {
		w, _, _ = strings.Cut(w, "'")
		if w == "there" && (i > 0 && existWord[words[i-1]] || i+1 < len(words) && existWord[words[i+1]]) {
			continue // "how many moons are there"
		}
		if pointsBack[w] || articleWord[w] && (i+1 == len(words) || !slices.Contains(content, words[i+1])) {
			return true
		}
	}
	return strings.ContainsAny(folded, "他她它这那")
}

// namesSomebody reports a name in a question beyond its first word.
func namesSomebody(question string) bool {
	return slices.ContainsFunc(text.Mentions(question), func(m text.Mention) bool {
		return m.Type == text.MentionName && !strings.HasPrefix(question, m.Text)
	})
}

// isShort reports a question that may depend on the conversation although no word
// of it points back.
func isShort(question string, words, content []string) bool {
	const few = 8
	return len(content) <= MaxBareWords && len(words) <= few && len(question) <= 60 && !namesSomebody(question)
}
