package said

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// Temporal classifies a claim by its duration. The values are those of
// schema.AttrTemporal.
type Temporal string

// The temporal types.
const (
	State Temporal = "state" // holds until it changes
	Event Temporal = "event" // happened, or will at a date
	Plan  Temporal = "plan"  // will happen
	Habit Temporal = "habit" // recurs
	Trait Temporal = "trait" // always
)

// Claim is the statement of one sentence about its subject.
type Claim struct {
	// Sentence is the sentence as written.
	Sentence string
	// Subject is "I" for the speaker, else the folded subject: "my sister".
	Subject string
	// Relation and Name tell apart people of one subject, folded: "older sister" and
	// "noor" in "my older sister Noor lives in Rome", where Subject is "my sister".
	// Both are empty for other subjects, and where the sentence is unknown.
	Relation, Name string
	// Predicate is the relation, in snake_case: a canonical English name where the
	// form is known ("lives_in", "works_at", "allergic_to"), else made from the
	// words ("favourite_colour", "dentist").
	Predicate string
	// Object is the value, in the words of the sentence.
	Object string
	// Preference is true for likes, dislikes and wishes, false for facts.
	Preference bool
	// Wish is true for how the assistant should behave.
	Wish bool
	// Temporal is State unless the form says otherwise.
	Temporal Temporal
	// Functional is true when the form admits one object at a time: "my dentist
	// is X", not "my sister is X".
	Functional bool
	// Change is true when the sentence marks the claim as new: "I've moved to",
	// "is now", "no longer", "from now on", "my new".
	Change bool
	// Ended is the object that no longer holds, "" for none: X in "not X but Y", "I
	// left X and joined Y".
	Ended string
	// Lasting is the probability that a sentence without a known form states
	// something lasting; 0 for other sentences. See [LastingOf].
	Lasting float64
	// Indefinite is true for an object with an indefinite article, which names nothing:
	// "I live in a tiny flat".
	Indefinite bool
	// Denied is true for a negative statement: "I don't have a car any more".
	Denied bool
}

// Claims returns at most max claims of a user's own message, in order; 0 is no
// bound. It ignores quoted and pasted text and code. known are the people whose names
// stand for them.
func Claims(message string, max int, known ...Person) []Claim {
	sentences := parse(message)
	if len(sentences) == 0 {
		return nil
	}
	var total [4]int
	scores := make([][4]int, len(sentences))
	for i := range sentences {
		scores[i] = wordsKnown(sentences[i].tokens)
		for k, n := range scores[i] {
			total[k] += n
		}
	}
	main := best(total)
	if total[main] == 0 {
		return nil
	}
	r := reader{text: message, long: utf8.RuneCountInString(message) > longMessage, known: known}
	var out []Claim
	for i := range sentences {
		r.before = sentences[:i]
		for _, c := range r.readIn(sentences[i], scores[i], main) {
			c.Sentence = withFragments(message, c.Sentence)
			c.Functional = c.Functional && (c.Change || !forTheTime.MatchString(c.Sentence))
			if c.Predicate == "lives_in" && c.Change && isSoftware(c.Object) { // "we moved from Gradle to Bazel"
				c.Predicate, c.Functional = "uses", false
			}
			if slices.Contains(out, c) || c.Wish && !sentences[i].lastingWish(message) {
				continue
			}
			if out = append(out, c); len(out) == max {
				return out
			}
		}
	}
	return out
}

// programs are names of software that no topic has.
var programs = wordSet("neovim nvim vscode intellij pycharm goland webstorm jetbrains zsh npm pnpm rabbitmq podman traefik istio")

// isSoftware reports whether an object is about software and no place.
func isSoftware(object string) bool {
	return slices.ContainsFunc(strings.Fields(text.Fold(object)), func(w string) bool { return programs[strings.Trim(w, ".,!?")] }) || slices.ContainsFunc(topics.Of(object).Names(), func(topic string) bool {
		return slices.Contains([]string{"software", "computer", "db", "deploy", "testing", "codestyle", "vcs", "ops", "cloud", "web", "api", "codelang", "docs", "tracker"}, topic)
	})
}

// forTheTime matches what is so for a while and ends nothing: "I'm covering for Kim, so I work at
// the Harrogate shop till Saturday".
var forTheTime = prefilter.New(`(?i)\b(?:this (?:week|weekend|month|fortnight)|(?:until|till|til) (?:(?:next|the end of|this|after) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:until|till|til) (?:next|the end)|for (?:now|the (?:week|weekend|month|moment|time being))|just for (?:a|the|this|today)|temporarily|covering for|standing in for|filling in for)\b`,
	`(?i)\b(?:diese woche|diesen monat|dieses wochenende|bis (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|nächste|ende)|vorübergehend|aushilfsweise|zur vertretung|vertretungsweise|vorerst|fürs erste)\b`,
	`(?i)(?:^|[^\pL])(?:esta semana|este mes|este finde|de momento|por ahora|temporalmente|hasta (?:el )?(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|próxim\pL+)|cubriendo a|sustituyendo a)(?:[^\pL]|$)`,
	`(?:这|本)(?:周|星期|礼拜|个月)|暂时|临时|顶班|代班|到(?:下?周|星期|礼拜)[一二三四五六日天]为止`)

// readIn returns the claims of a sentence in the language of its text, or in
// another that knows clearly more of its words. Where languages tie, the first
// one that finds a claim wins.
func (r *reader) readIn(s sentence, scores [4]int, main int) []Claim {
	own := best(scores)
	if scores[own] <= scores[main]+1 {
		own = main
	}
	for k := range scores {
		l := (own + k) % len(scores)
		if scores[l] != scores[own] {
			continue
		}
		r.lex = languages()[l]
		spelled := s
		spelled.tokens = r.lex.spellOut(s.tokens)
		r.met, r.named = nil, Claim{}
		claims := r.read(spelled)
		claims = append(claims, r.metIn(claims)...)
		if claims = append(claims, r.apposed(spelled, claims)...); len(claims) > 0 {
			return claims
		}
	}
	return nil
}

// parse returns the sentences of a text that are its writer's own.
func parse(message string) []sentence {
	if len(message) > maxMessage || strings.TrimSpace(message) == "" {
		return nil
	}
	sentences := sentencesOf(message, maskOf(message))
	for i := range sentences {
		s := &sentences[i]
		s.unmarked = !s.question && asksUnmarked(message[s.lo:s.hi])
		s.question = s.question || s.unmarked
	}
	return sentences
}

// Reported parses a sentence that somebody else, such as an assistant, wrote
// about a person: "Ada lives in Oslo", "The user is allergic to nuts". names are
// the person's names; "user" and its translations are always recognised. The
// subject of a claim about the person is "I", as in [Claims].
func Reported(statement string, names []string) (c Claim, ok bool) {
	if len(statement) > maxMessage {
		return Claim{}, false
	}
	sentences := sentencesOf(statement, make([]byte, len(statement)))
	folded := make([][]string, 0, 2*len(names))
	for _, name := range names {
		words := strings.Fields(text.Fold(name))
		if len(words) == 0 {
			continue
		}
		folded = append(folded, words)
		if len(words) > 1 {
			folded = append(folded, words[:1])
		}
	}
	for _, s := range sentences {
		scores := wordsKnown(s.tokens)
		for l, lex := range languages() {
			if scores[l] < scores[best(scores)] {
				continue
			}
			r := reader{text: statement, lex: lex, reported: true}
			named := s
			named.tokens = lex.aboutUser(lex.spellOut(s.tokens), folded)
			if claims := r.read(named); len(claims) > 0 {
				return claims[0], true
			}
		}
	}
	return Claim{}, false
}

// aboutUser replaces names of the user by the words for "I" and "my".
func (l *lexicon) aboutUser(tokens []token, names [][]string) []token {
	out := make([]token, 0, len(tokens))
	for i := 0; i < len(tokens); i++ {
		n, owns := l.userAt(tokens, i, names)
		t := tokens[i]
		switch {
		case n > 0:
			t.hi, t.word, t.upper = tokens[i+n-1].hi, subjectWord, false
			i += n - 1
			if of := l.ownedFrom(out); of >= 0 && !owns && (i+1 == len(tokens) || tokens[i+1].word != "'s") {
				out[of].word = possessiveWord
				out = out[:len(out)-1]
				continue
			}
			if owns {
				t.word = possessiveWord
			} else if i+1 < len(tokens) && (tokens[i+1].word == "'s" || tokens[i+1].word == "的" && l.han) {
				t.word = possessiveWord
				i++
			}
		case t.quoted:
		case l.pronouns[t.word] && !l.her[t.word] && !others[t.word]:
			t.word = subjectWord
		case l.her[t.word]:
			t.word = possessiveWord
		}
		out = append(out, t)
	}
	return out
}

// ownedFrom returns where "the sister of" begins at the end of tokens, -1 for nothing.
func (l *lexicon) ownedFrom(tokens []token) int {
	last := len(tokens) - 1
	if last < 2 || l.han || tokens[last].word != l.of {
		return -1
	}
	for i := last - 2; i >= max(0, last-4); i-- {
		if tokens[i+1].mark {
			return -1
		}
		if l.articles[tokens[i].word] {
			return i
		}
	}
	return -1
}

// others are pronouns that do not refer to the user in a report.
var others = wordSet("it there who you es se le quien wer jemand man du")

// userAt returns the number of tokens from i that name the user, and whether they
// are possessive: "Adas".
func (l *lexicon) userAt(tokens []token, i int, names [][]string) (n int, owns bool) {
	if n, _ := l.users.at(tokens, i); n > 0 {
		return n, false
	}
	for _, name := range names {
		if han := []rune(name[0]); len(han) > 0 && isHan(han[0]) {
			name = sequence(name[0])
		}
		if i+len(name) > len(tokens) {
			continue
		}
		match := true
		for k, w := range name {
			got := tokens[i+k].word
			if k == len(name)-1 && got == w+"s" && !l.han {
				owns = true
				continue
			}
			match = match && got == w
		}
		if match {
			return len(name), owns
		}
		owns = false
	}
	return 0, false
}

// Verdict is the relation of a later claim to an earlier one.
type Verdict int

// The verdicts.
const (
	Unrelated Verdict = iota // about something else
	Adds                     // both hold
	Same                     // the same statement
	Replaces                 // the earlier one no longer holds
	Unsure                   // they may exclude each other: show both
)

// Verb is the action that a [Request] asks for.
type Verb int

// The verbs.
const (
	Keep   Verb = iota + 1 // "never forget that …", "remember for good: …"
	Forget                 // "forget that …", "please forget my old address"
)

// Request is a user's request to the memory itself.
type Request struct {
	Verb Verb
	// Sentence is the sentence with the request.
	Sentence string
	// About is its object: the words after "forget …", "" when it only refers to
	// the preceding text ("forget that", "never forget this").
	About string
	// Loose reports a request to forget that fits no known form: About is the
	// whole message.
	Loose bool
	// Unsure reports a request that may be none. It counts if the answer to the message
	// says that it was done ([Confirms]), or if a model calls a tool for it; until then one that
	// is not loose waits for the host.
	Unsure bool
	// Single reports an unsure request about software that speaks of something that was said: it
	// counts if one statement alone holds all words of About.
	Single bool
	// Exact reports that a memory is meant only if it holds all words of About.
	Exact bool
	// Names are the words of the message that say what a loose request, or one without an
	// object, is about, "" for none.
	Names string
	// Terms are the terms of such a message, each with the probability that it says what
	// the request is about, 0–1.
	Terms map[string]float64
	// Back reports whether a request refers to the preceding message, LastSentence whether only to
	// the last sentence of that.
	Back, LastSentence bool
	// Itself reports that the message is what is to be forgotten, see [Unstored].
	Itself bool
}

// Object returns the object of a request, "" if it only refers to another text: About, or
// else the Names in the message.
func (r *Request) Object() string {
	if r.Loose || r.About == "" {
		return r.Names
	}
	return r.About
}
