package claims

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// bareKeep matches a sentence that asks to keep what another sentence says, and nothing else.
var bareKeep = prefilter.New(
	`(?i)^(?:(?:so|and|but|also|please|ok|okay),? )*(?:(?:you (?:must|have to|need to|should)|do|always|never|please|don['’]?t|do not) )*(?:remember|keep|forget|hold on to|bear|note|save) (?:this|that|it)(?: one)?(?:,? (?:for good|for ever|forever|always|ever|in mind|please|for me|permanently|down|at all times|safe|well|whatever happens|no matter what))*\s*(?:[,.!;–—]|$)`,
	`(?i)^(?:(?:und|also|bitte|ach),? )*(?:(?:das|dies|es) (?:musst|sollst|solltest|darfst|kannst) du (?:dir )?(?:(?:bitte|unbedingt|dauerhaft|immer|nie|niemals|nicht|für immer|auf jeden fall|gut|mal|auch) )*(?:merken|behalten|vergessen|im kopf behalten|im hinterkopf behalten)|(?:behalte?|merke?|vergiss|speichere?|notiere?) (?:dir )?(?:das|dies|es)(?: (?:dir|mir|bitte|unbedingt|dauerhaft|immer|nie|niemals|nicht|für immer|auf jeden fall|gut|mal|auch|im (?:hinter)?kopf))*)\s*(?:[,.!;–—]|$)`,
	`(?i)^(?:(?:y|por favor|pero),? )*(?:(?:eso|esto) )?(?:(?:no|nunca) )*(?:te )?(?:lo |la )?(?:olvides|recu[eé]rda(?:lo|la)|acu[eé]rdate de (?:eso|esto)|ten(?:lo|la)|gu[aá]rda(?:lo|la)|recuerda (?:eso|esto)|guarda (?:eso|esto))(?:,? (?:nunca|siempre|presente|en cuenta|bien|para siempre|por favor|jam[aá]s|esto|eso))*\s*(?:[,.!;–—]|$)`,
	`^(?:请|請)?(?:[这這那]个?個?)?(?:[你您])?(?:无论如何|無論如何|一定|千万|千萬|永远|永遠|都|要|幫我|帮我|給我|给我|得|必须|必須)*(?:记住|記住|记得|記得|记牢|記牢|别忘|別忘|不要忘|不能忘)(?:[了记記掉]|这个|這個|那个|那個|喔|哦|啊|啦)*\s*(?:[，。！,.!;]|$)`)

// reasonGiven matches what such a sentence adds: "Never forget that, it would be my ruin".
var reasonGiven = regexp.MustCompile(`^(?i:(?:it|this|that|because|since|or|otherwise|das|dies|es|weil|denn|sonst|eso|esto|porque|que|si no)(?:[^\pL]|$))|^(?:这|這|那|不然|否则|否則|一辈子|一輩子)`)

// saysNothing matches a reason that tells nothing but how much the request matters: "Never forget that,
// because my son gets hives" is kept as well.
var saysNothing = regexp.MustCompile(`^(?:[\pL]+ )?(?i:(?:it|this|that)(?:['’]d| would| could| might)(?:[^\pL]|$)|(?:it|this|that)(?:['’]s| is) (?:(?:so|very|really) )?(?:important|vital|crucial)|(?:it|this|that) (?:really )?matters|(?:das|dies) darf (?:mir|uns|nie)(?:[^\pL]|$)|(?:das|dies|es) (?:wäre|würde|könnte)(?:[^\pL]|$)|(?:das|dies|es) ist (?:(?:so|sehr|mir) )*(?:lebens)?wichtig|stehe? ich|(?:eso|esto) (?:sería|podría)(?:[^\pL]|$)|es (?:muy )?importante)|^(?:因为|因為)?[这這那](?:很|非常|太)|^一辈子|^一輩子`)

// keepsOther reports whether a sentence only asks to keep what another one says, and can go without a loss.
func keepsOther(sentence string) bool {
	asks := bareKeep.FindStringSubmatchIndex(strings.TrimSpace(sentence))
	if asks == nil || !pointsElsewhere(sentence) {
		return false
	}
	rest := strings.TrimSpace(strings.TrimSpace(sentence)[asks[1]:])
	return rest == "" || saysNothing.MatchString(rest)
}

// pointsElsewhere reports whether a sentence asks to keep what another one says; it may give a reason.
func pointsElsewhere(sentence string) bool {
	s := strings.TrimSpace(sentence)
	asks := bareKeep.FindStringSubmatchIndex(s)
	if asks == nil {
		return false
	}
	rest := strings.TrimSpace(s[asks[1]:])
	return rest == "" || reasonGiven.MatchString(rest) && !strings.ContainsFunc(rest, unicode.IsDigit) && !namesAfterColon(rest) &&
		!slices.ContainsFunc(text.Mentions("x "+rest), func(m text.Mention) bool { return m.Type == text.MentionName })
}

// withBareKeep has requests to keep that only point at another sentence name nothing, and adds one for
// such a sentence if no pattern parsed a request.
func (m *Message) withBareKeep() {
	sentences := text.Sentences(m.Content)
	at := slices.IndexFunc(sentences, pointsElsewhere)
	if at < 0 || at == 0 && !keepsOther(sentences[0]) { // "Remember this, my son gets hives"
		return
	}
	for i := range m.requests {
		if q := &m.requests[i]; q.Verb == said.Keep && strings.Contains(q.Sentence, sentences[at]) {
			q.Sentence, q.About = sentences[at], ""
		}
	}
	if len(m.requests) == 0 && at > 0 {
		m.requests = []said.Request{{Verb: said.Keep, Sentence: sentences[at]}}
	}
}

// madeBefore returns the claims of the message that a request to keep refers to: those of the sentence
// before it with the facts that patterns parsed, or all if that sentence is not one.
func (w *reading) madeBefore(request string) []*schema.Memory {
	all := w.madeIn("")
	sentences := text.Sentences(w.Content)
	at := slices.IndexFunc(sentences, func(s string) bool { return overlap(s, request) })
	if at < 1 || !slices.ContainsFunc(all, func(m *schema.Memory) bool { return overlap(m.Content, sentences[at-1]) }) {
		return all
	}
	return slices.DeleteFunc(all, func(m *schema.Memory) bool {
		return (isLasting(m) || m.Attributes[schema.AttrSaid] == SaidWish) && !overlap(m.Content, sentences[at-1])
	})
}

// Words for the speaker and for the agent: a sentence only of the former is no wish about answers:
// "Tomorrow I'll write to her".
var (
	ofOneself  = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:i|i['’](?:ll|m|d|ve)|ich|yo)(?:[^\pL]|$)`)
	ofTheAgent = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:you|your|please|du|dir|dich|dein\pL*|bitte|sie bitte|tú|te|por favor|answers?|repl(?:y|ies)|antwort\pL*|respuestas?)(?:[^\pL]|$)`)
)

// noWish reports whether a sentence that may be a wish about answers is none: it asks to keep something,
// or is of what its speaker does for somebody that another sentence names.
func noWish(sentence string) bool {
	return keepsOther(sentence) || ofOneself.MatchString(sentence) && !ofTheAgent.MatchString(sentence) && grounding.LeanOf(sentence) != grounding.Stands
}

// ofText reports whether a sentence of a few words without a subject says how a text should be that
// the message asks for: "Can you word an invitation? Warm, three lines, no rhymes."
func (m *Message) ofText(sentence string) bool {
	return len(text.Terms(sentence)) <= appositionTerms && !subject.MatchString(sentence) && slices.ContainsFunc(text.Sentences(m.Content), func(s string) bool {
		return !overlap(s, sentence) && said.Asks(s) && asksForText.MatchString(s)
	})
}

const appositionTerms = 8

var (
	subject     = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:i|i['’]\pL+|we|you|he|she|it|they|my|our|is|are|was|were|has|have|ich|wir|du|er|sie|es|mein\pL*|unser\pL*|ist|sind|war|hat|haben|yo|mi|mis|es|son|está|tengo|soy)(?:[^\pL]|$)|[我你他她是有]|\d`)
	asksForText = prefilter.New(`(?i)\b(?:word|write|draft|phrase|compose|reword|rewrite)\b`, `(?i)\b(?:formulier|schreib|entw[ie]rf|verfass|umformulier)\pL*`, `(?i)(?:^|[^\pL])(?:escrib|redact|reformul)\pL*`, `写|寫|拟|擬`)
)
