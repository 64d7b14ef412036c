package claims

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// part is a clause of a message.
type part struct {
	lo, hi   int
	sentence int  // its number in the message
	turns    bool // it begins with words for another subject: "and besides"
	text     string
	gist
	meant bool // it says what is to be forgotten
	stays bool
}

// Patterns that divide a message. turning matches words for another subject at the beginning of a
// clause.
var (
	partEnd = regexp.MustCompile(`(?i)[,;:]+\s+(?:(?:and|but|und|aber|y|e|pero)\s+)?|[，；：]+|\s+[–—-]+\s+|\s+(?:and|but|und|aber|y|e|pero)\s+`)
	turning = prefilter.New(`(?i)^(?:ah? |oh |ach )?(?:also|besides|another thing|one more thing|something else|btw|by the way|on another note|separately|unrelated|other than that|apart from that|außerdem|übrigens|ausserdem|noch (?:was|etwas)|was anderes|nebenbei|ansonsten|tambi[eé]n|adem[aá]s|otra cosa|por cierto|aparte|de paso|por otro lado)(?:[^\pL]|$)`,
		`^(?:另外|还有|還有|对了|對了|此外|顺便|另一件事|再说)`)
)

// partsOf divides a message into its clauses.
func partsOf(message string) (parts []part) {
	clauses := func(from, to, sentence int) {
		for from < to {
			end, next := to, to
			if at := partEnd.FindStringIndex(message[from:to]); at != nil && at[1] > 0 {
				end, next = from+at[0], from+at[1]
			}
			if s := strings.TrimSpace(message[from:end]); s != "" {
				parts = append(parts, part{
					lo: from + strings.Index(message[from:end], s), hi: end, sentence: sentence, text: s, turns: turning.MatchString(s),
					gist: gist{telling(s), topics.Of(s)},
				})
			}
			from = next
		}
	}
	from := 0
	for n, sentence := range text.Sentences(message) {
		from += strings.Index(message[from:], sentence)
		clauses(from, from+len(withoutStop(sentence)), n)
		from += len(sentence)
	}
	return parts
}

// split divides the clauses that name first what the request wants forgotten and then what it wants to
// stay, or the other way round: of "the neighbour got drunk while the plumber fixed the sink" the second half
// may stay.
func (q *wish) split(parts []part) (divided []part) {
	for _, p := range parts {
		end, next := q.boundary(p.text)
		if end == 0 || min(len(telling(p.text[:end])), len(telling(p.text[next:]))) < fewestTerms {
			divided = append(divided, p)
			continue
		}
		for _, at := range [][2]int{{0, end}, {next, len(p.text)}} {
			half, s := p, p.text[at[0]:at[1]]
			half.lo, half.hi, half.text, half.gist = p.lo+at[0], p.lo+at[1], s, gist{telling(s), topics.Of(s)}
			half.turns = p.turns && at[0] == 0
			divided = append(divided, half)
		}
	}
	return divided
}

// boundary returns where the first half of a clause ends and the second begins, zeros if it has not two. The
// stop words between them belong to neither, but for an article.
func (q *wish) boundary(clause string) (end, next int) {
	words := word.FindAllStringIndex(clause, -1)
	first, at := 0, 0 // 1: the first half is to stay, -1: it is to be forgotten; the word that begins the second
	for i, w := range words {
		terms := telling(clause[w[0]:w[1]])
		switch side := cmp.Compare(shared(q.stay, terms), shared(q.forget, terms)); {
		case side == 0:
		case first == 0:
			first = side
		case at == 0 && side != first:
			at = i
		case at > 0 && side == first:
			return 0, 0 // they alternate
		}
	}
	if at == 0 {
		return 0, 0
	}
	from := at
	for from > 1 && text.IsStopWord(text.Fold(clause[words[from-1][0]:words[from-1][1]])) {
		from--
	}
	return words[from-1][1], words[max(at-1, from)][0]
}

// word matches a word of a language that separates them.
var word = regexp.MustCompile(`[\p{Latin}\pM\pN]+(?:['’-][\p{Latin}\pM\pN]+)*`)

// telling returns the terms of a text that say what it is about.
func telling(s string) []string {
	return slices.DeleteFunc(text.QueryTerms(s, 0), func(term string) bool { return saying[term] || fillers[term] || text.IsStopWord(term) })
}

// staying matches what says that something is to stay, notStaying the contrary of it, and theRest
// what says that everything else does: "the rest can stay", "only what I said of Tom".
var (
	staying = prefilter.New(`(?i)\b(?:(?:can|may|should|must|could|has to|have to|is to) (?:all )?(?:stay|remain|be kept)|(?:stays|remains)\b|(?:keep|hold on to|leave) (?:the|what|my|our|his|her|everything|all)\b|(?:is|are) (?:fine|ok|okay) to (?:keep|stay)|(?:don['’]?t|do not) (?:forget|delete|remove|touch|erase) (?:the|what|my|our|his|her|everything)|but not\b|^not the\b)`,
		`(?i)\b(?:(?:kann|darf|soll|können|dürfen|sollen) .*\bbleiben|bleib(?:t|en)\b|behalt(?:e|en)?\b|behältst|lass(?:en)? (?:\pL+ ){1,4}(?:stehen|drin|da)\b|aber nicht\b|(?:^|[ ,])nicht (?:die|den|das|der)\b|nicht (?:löschen|vergessen|streichen)|(?:kannst|darfst) du (?:dir )?(?:\pL+ )?merken)`,
		`(?i)(?:^|[^\pL])(?:s[ií](?:$| (?:l[oa]s? )?(?:d[eé]j|gu[aá]rd|qu[eé]d|cons[eé]rv|mant[eé]n|se qued|pued))|d[eé]j[ae]l[oa]s?(?:[^\pL]|$)|d[eé]j[ae] (?:l[oa]s?|el|mi) |l[oa] dejo|(?:puede|que) (?:se )?quedarse|se queda(?:n)?(?:[^\pL]|$)|(?:qu[eé]date|qu[eé]dese) con|cons[eé]rv[ae]|mant[eé]ng?[ae]?|no (?:l[oa]s? )?(?:borres?|quites?|elimines?|olvides?|toques?))`,
		`留着|留下|保留|(?:别|不用|不要)(?:删|忘)|可以留|还记着`)
	notStaying = prefilter.New(`(?i)\b(?:not|never|don['’]?t|stop|need(?:n['’]t)?) (?:\pL+ )?(?:keep|stay|leave|remain|be kept)|stays? (?:between|private|secret|with)|to yourself`,
		`(?i)nicht (?:behalten|bleiben|merken)|(?:unter uns|geheim)|für dich`,
		`(?i)(?:^|[^\pL])no (?:se |me )?(?:l[oa]s? )?(?:d[eé]j|gu[aá]rd|qu[eé]d|cons[eé]rv|mant)|entre (?:nosotros|nos)`, `(?:别|不要|不能|不)(?:再)?(?:保)?留`)
	theRest = prefilter.New(`(?i)\b(?:the rest|the others?|everything else|all else|only (?:the|that|what|my)|just (?:the|that|what|my)|(?:der|den|das) (?:ganze )?rest|alles andere|das andere|die anderen|das übrige|nur (?:das|die|den|der|was))\b`,
		`(?i)(?:^|[^\pL])(?:lo (?:otro|dem[aá]s)|el resto|todo lo dem[aá]s|s[oó]lo (?:lo|el|la)|solamente (?:lo|el|la))(?:[^\pL]|$)`, `其他|其余|其它|别的|剩下|只(?:删|忘|把)`)
)

// wish is a request to forget, divided into what it wants forgotten and what it wants to stay.
type wish struct {
	forget, stay           []string // terms
	forgetTopics, stayWith *topics.Question
	wanted                 string
	named, rest            bool // it names something that stays, and everything else stays
	excepts                bool // it names an exception
}

// wishOf divides a request.
func wishOf(request string) (q wish) {
	var forget, stay []string
	request, exception := withoutException(request)
	if q.excepts = exception != ""; q.excepts {
		stay = append(stay, exception)
	}
	for _, p := range partsOf(request) {
		keeps := staying.MatchString(p.text) && !notStaying.MatchString(p.text)
		rest := theRest.MatchString(p.text)
		q.rest = q.rest || rest
		if !keeps || forgets.MatchString(p.text) && !strings.ContainsAny(p.text, "不别") && rest {
			forget = append(forget, p.text)
			continue
		}
		stay = append(stay, theRest.ReplaceAllString(staying.ReplaceAllString(p.text, " "), " "))
	}
	kept := strings.Join(stay, ". ")
	q.wanted = strings.Join(forget, ". ")
	q.forget, q.forgetTopics = telling(q.wanted), topics.Ask(topics.Of(q.wanted), 1)
	if kept != "" {
		q.stay, q.stayWith = telling(kept), topics.Ask(topics.Of(kept), 1)
	}
	q.named = len(q.stay) > 0
	q.rest = q.rest && !q.named
	return q
}

// withoutStop returns a sentence without what ends it.
func withoutStop(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".!?…。！？") }

// shared counts the terms that are in both lists.
func shared(a, b []string) (n int) {
	for _, term := range a {
		if slices.Contains(b, term) {
			n++
		}
	}
	return n
}

// beside is what of a hidden message stays, and the terms of what does not.
type beside struct {
	stays []string
	meant []string
}

// beside returns what of a message stays although the message is hidden for a request: each sentence or
// clause that the user wants to stay, and those of another subject that neither share a word or a topic
// with what is meant nor continue it. Nothing stays if the message does not show which part is meant.
func (w *reading) beside(t *targets, q wish, message *schema.Memory, quotes []string) (of beside) {
	if t.whole || t.itself || t.request == "" && len(t.claims) == 0 || message.ID == w.ID {
		return beside{meant: telling(message.Content)}
	}
	parts := q.split(partsOf(message.Content))
	meant, sure := w.meantParts(t, parts, q, quotes)
	if meant || q.named {
		divide(parts, q, meant, sure)
	}
	for i := 0; i < len(parts); i++ {
		if !parts[i].stays {
			if parts[i].meant || !sure {
				of.meant = append(of.meant, parts[i].terms...)
			}
			continue
		}
		end := i
		for end+1 < len(parts) && parts[end+1].stays && parts[end+1].sentence == parts[i].sentence {
			end++
		}
		s := strings.TrimSpace(message.Content[parts[i].lo:parts[end].hi])
		asks := strings.IndexAny(strings.TrimSpace(message.Content[parts[end].hi:]), "?？") == 0
		if len(telling(s)) >= fewestTerms && !asks && !text.IsSmallTalk(s) && len(said.Requests(s)) == 0 {
			of.stays = append(of.stays, s)
		}
		i = end
	}
	return of
}

// fewestTerms is how many terms that say something a clause has that stays by itself.
const fewestTerms = 2

// leastCovered is the share of the terms of a request that the parts of a message must contain for
// these to be surely all that is meant.
const leastCovered = 0.5

// meantParts marks the parts of a message that are to be forgotten and those that the request names
// to stay. It reports whether any is to be forgotten, and whether these are surely all.
func (w *reading) meantParts(t *targets, parts []part, q wish, quotes []string) (meant, sure bool) {
	terms := t.terms
	if len(terms) == 0 {
		terms = q.forget
	}
	covered := func(worded bool) bool { // by the meant parts, or by those that share a word with the request
		var in []string
		for _, p := range parts {
			if worded || p.meant {
				in = append(in, p.terms...)
			}
		}
		n := shared(terms, in)
		return n > 0 && float64(n) >= leastCovered*float64(len(terms))
	}
	least := leastNearby
	if covered(true) {
		least = leastLikened
	}
	stayOnly := slices.DeleteFunc(slices.Clone(q.stay), func(term string) bool { return slices.Contains(q.forget, term) || slices.Contains(terms, term) })
	for i := range parts {
		p := &parts[i]
		stay, forget := float64(shared(q.stay, p.terms)), float64(shared(q.forget, p.terms))
		if q.forgetTopics != nil {
			if near := q.forgetTopics.Near(p.topics); near >= least {
				forget += near
			}
		}
		if q.stayWith != nil {
			stay += q.stayWith.Near(p.topics)
		}
		tells := len(t.claims) > 0 && t.tells(p.text)
		sure = sure || tells
		excepted := shared(stayOnly, p.terms) > 0
		if p.meant = (tells || forget > stay) && !excepted; p.meant {
			meant = true
		} else {
			p.stays = q.named && stay >= leastNearby && (stay > forget || excepted)
		}
	}
	for i := range parts {
		p := &parts[i]
		if !meant && slices.ContainsFunc(quotes, func(s string) bool { return overlap(strings.TrimSpace(s), p.text) }) {
			p.meant, p.stays, sure = true, false, true
		}
	}
	return meant || sure, sure || covered(false)
}

// leastLikened is the likeness of topics from which a part of a message is meant if others share words
// with the request.
const leastLikened = 0.5

// divide decides which parts stay, of those that are not meant: what the request names to stay, with
// what goes on from it, what begins with words for another subject, and, if the meant parts are surely
// all, the sentences before them and those of the user's own that do not follow one.
func divide(parts []part, q wish, meant, sure bool) {
	hidden, past := make(map[int]bool), make(map[int]bool) // sentences with something that is meant, or that happened
	var told []gist
	first := len(parts)
	for i := range parts {
		p := &parts[i]
		past[p.sentence] = past[p.sentence] || happened.MatchString(nowPassive.ReplaceAllString(p.text, ""))
		if p.meant {
			hidden[p.sentence], first = true, min(first, i)
			told = append(told, p.gist)
		}
	}
	if !meant {
		onlyBest(parts, q)
	}
	turned := false
	for i := range parts {
		p := &parts[i]
		begins := i == 0 || parts[i-1].sentence != p.sentence
		turned = p.turns || turned && !begins
		if p.meant || p.stays || i > first && refersBack.MatchString(p.text) || slices.ContainsFunc(told, func(held gist) bool { return held.near(p.gist, leastNearby) }) {
			continue
		}
		switch {
		case p.turns:
			p.stays = meant || i+1 < len(parts) && parts[i+1].stays
		case !begins:
			p.stays = parts[i-1].stays && (meant || turned)
		case hidden[p.sentence] || !meant || !sure:
		case i < first && !past[p.sentence] || q.rest || i > 0 && parts[i-1].stays:
			p.stays = true
		default:
			p.stays = i > first && !parts[i-1].meant && ofItself.MatchString(p.text+" ")
		}
	}
}

// happened matches words for what happened, which may lead to what is said then: "The surgery was on May 4. …",
// and nowPassive what only looks like one: "The wifi is called Otter".
var nowPassive = regexp.MustCompile(`(?i)\b(?:is|are|am|['’]s|['’]re) \pL+ed\b`)
var happened = prefilter.New(`(?i)\b(?:was|were|had|did|got|went|came|saw|found|\pL{2,}ed|war|waren|hatte|hatten|wurde|wurden|ge\pL{3,}(?:t|en)|ging|kam)\b`,
	`(?i)(?:^|[^\pL])(?:fue|fueron|era|estaba|había|tuve|tuvo|hice|hizo|\pL{2,}(?:aron|ieron|ó|é|aba))(?:[^\pL]|$)`, `[了过過]`)

// onlyBest lets of the parts that are named to stay only the one stay that is most like that, if
// nothing is known to be meant.
func onlyBest(parts []part, q wish) {
	best, most := -1, 0.0
	for i := range parts {
		if p := &parts[i]; p.stays {
			p.stays = false
			if like := float64(shared(q.stay, p.terms)) + q.stayWith.Near(p.topics); like > most {
				best, most = i, like
			}
		}
	}
	if best >= 0 {
		parts[best].stays = true
	}
}

// keepBeside stores what stays of a hidden message as claims of its own, unless one of the claims that
// rest on it says it.
func (w *reading) keepBeside(ctx context.Context, from *schema.Memory, stays []string, resting []schema.Memory) error {
	for _, s := range stays {
		if slices.ContainsFunc(resting, func(m schema.Memory) bool { return isCurrent(&m) && overlap(withoutStop(m.Content), s) }) {
			continue
		}
		lasting := leastLasting
		for _, l := range said.LastingOf(s) {
			lasting = max(lasting, l.P)
		}
		kept := claimOf(w.owner.User, from, s, said.Claim{Sentence: s, Temporal: said.State, Lasting: lasting})
		kept.State, kept.DecayRate, kept.Stability = schema.StateActive, from.DecayRate, from.Stability // it is searched for like the message
		if err := w.tx.AddDerived(ctx, kept, schema.PrepareChunks(s, ""), map[int64]string{from.ID: s}, w.run.by); err != nil {
			return err
		}
		w.run.did("add_"+string(kept.Kind), kept)
	}
	return nil
}
