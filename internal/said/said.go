package said

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Temporal says how a claim stands in time; the words are those of
// schema.AttrTemporal.
type Temporal string

// The temporal types.
const (
	State Temporal = "state" // holds until it changes
	Event Temporal = "event" // happened, or is about to at a date
	Plan  Temporal = "plan"  // will happen
	Habit Temporal = "habit" // happens again and again
	Trait Temporal = "trait" // always
)

// Claim is what one sentence says about its subject.
type Claim struct {
	// Sentence is the sentence as it stands in the text.
	Sentence string
	// Subject is "I" for the speaker, else what is spoken of, folded: "my sister".
	Subject string
	// Predicate names what is said of the subject, in snake_case: a canonical
	// English name where the form is known ("lives_in", "works_at",
	// "allergic_to"), else made from the words ("favourite_colour", "dentist").
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
	// Change is true when the sentence says that this is new: "I've moved to",
	// "is now", "no longer", "from now on", "my new".
	Change bool
	// Ended is the object that it says has ended, "" for none: X in "not X but
	// Y", "I left X and joined Y".
	Ended string
	// Lasting is, of a sentence of which no form is known, how likely it is to
	// tell something that lasts; 0 for others. See [LastingOf].
	Lasting float64
	// Denied is true when it only says what is not, or no longer, so: "I don't
	// have a car any more".
	Denied bool
}

// Claims reads a user's own message, at most max claims of it in order; 0 is no
// bound. Quoted and pasted text and code claim nothing.
func Claims(message string, max int) []Claim {
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
	r := reader{text: message, long: utf8.RuneCountInString(message) > longMessage}
	var out []Claim
	for i := range sentences {
		for _, c := range r.readIn(sentences[i], scores[i], main) {
			if slices.Contains(out, c) {
				continue
			}
			if out = append(out, c); len(out) == max {
				return out
			}
		}
	}
	return out
}

// readIn is the claims of a sentence in the language of its text, or in another
// that knows clearly more of its words; where languages tie, in the first that
// finds something.
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
		if claims := r.read(spelled); len(claims) > 0 {
			return claims
		}
	}
	return nil
}

// parse is the sentences of a text that are its writer's own.
func parse(message string) []sentence {
	if len(message) > maxMessage || strings.TrimSpace(message) == "" {
		return nil
	}
	return sentencesOf(message, maskOf(message))
}

// Reported reads a sentence that somebody else, such as an assistant, wrote
// about a person: "Ada lives in Oslo", "The user is allergic to nuts". Names are
// the person's names; "user" and its translations are always understood. The
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

// aboutUser puts the words for "I" and "my" where a sentence names the user.
func (l *lexicon) aboutUser(tokens []token, names [][]string) []token {
	out := make([]token, 0, len(tokens))
	for i := 0; i < len(tokens); i++ {
		n, owns := l.userAt(tokens, i, names)
		t := tokens[i]
		switch {
		case n > 0:
			t.hi, t.word, t.upper = tokens[i+n-1].hi, subjectWord, false
			i += n - 1
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

// others are pronouns that do not stand for the user in a report.
var others = wordSet("it there who you es se le quien wer jemand man du")

// userAt is the number of tokens from i that name the user, and whether they say
// that something is hers: "Adas".
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

// Verdict is how a later claim stands to an earlier one.
type Verdict int

// The verdicts.
const (
	Unrelated Verdict = iota // about something else
	Adds                     // both hold
	Same                     // it says the same
	Replaces                 // the earlier one has ended
	Unsure                   // they may exclude each other: show both
)

// Verb is what a [Request] asks for.
type Verb int

// The verbs.
const (
	Keep   Verb = iota + 1 // "never forget that …", "remember for good: …"
	Forget                 // "forget that …", "please forget my old address"
)

// Request is what a user asks of the memory itself.
type Request struct {
	Verb Verb
	// Sentence is the sentence that asks.
	Sentence string
	// About is what it names: the words after "forget …", "" when it only points
	// at what was said just before ("forget that", "never forget this").
	About string
}
