package prompt

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// Probabilities of staying true below which a stump leaves no line: one without a subject, one about
// what another sentence names, and one with a subject of its own.
const (
	stumpLikely        = 0.35
	stumpLikelyPronoun = 0.17
	stumpLikelySubject = 0.1
)

var (
	ownSubject = regexp.MustCompile(`^(?i:(?:and|but|so|und|aber|y|pero),? )?(?i:(?:i|i['’]\pL+|we|we['’]\pL+|my|our|the|no|ich|wir|mein\pL*|unser\pL*|der|die|das|kein\pL*|yo|mi|mis|nuestr\pL*|el|la|los|las|soy|estoy|no|ya|me|nos)(?:[^\pL]|$)|[我咱])`)
	aPronoun   = regexp.MustCompile(`^(?i:(?:and|but|so|und|aber|y|pero),? )?(?i:(?:(?:s?he|they|it|that|this)(?:['’]\pL+)?|er|sie|es|das|él|ella|ellos|ellas|eso|esto)(?:[^\pL]|$)|[他她它])`)
	// ofLife matches what changes a life in a few words: "She said yes", "It was cancer".
	ofLife = prefilter.New(`(?i)\b(?:pregnan\pL*|miscarr\pL*|born|birth|birthday|died|dead|dying|stroke|cancer|tumou?r|benign|malignant|positive|negative|diabet\pL*|blind|deaf|heart|surgery|hospital|chemo|relapsed?|remission|prison|jail|engaged|married|divorced?|separated|widow\pL*|fired|sober|said (?:yes|no)|left me|(?:hit|hurts?|raped?|beats?) me)\b`,
		`(?i)(?:schwanger|fehlgeburt|geboren|geburtstag|gestorben|(?:^|[^\pL])tot|schlaganfall|krebs|tumor|gutartig|bösartig|positiv|negativ|blind|taub|herz|krankenhaus|gefängnis|verlobt|verheiratet|geschieden|getrennt|gekündigt|(?:ja|nein) gesagt)`,
		`(?i)(?:embaraz|aborto|naci[óo]|cumpleaños|muri[óo]|muert[oa]|infarto|ictus|derrame|cáncer|tumor|benign|malign|positiv|negativ|ciega?(?:[^\pL]|$)|sord[oa]|corazón|hospital|cárcel|prometid|casad|divorci|separ|despid|dijo que (?:sí|no))`,
		`怀孕|懷孕|流产|流產|出生|生日|去世|死|中风|中風|癌|肿瘤|腫瘤|阳性|陽性|阴性|陰性|糖尿|失明|聋|聾|住院|坐牢|订婚|訂婚|结婚|結婚|离婚|離婚|分手|辞职|辭職|被炒`)
)

// elision stands between the clause of a message that names something and a later sentence about it.
const elision = " … "

// nameAntecedents replaces claims whose sentence rests on another one by copies with the sentence of
// their message that names their subject, or with the clause of it that does if there is no room for
// more or that sentence has a line of its own. It removes stumps. What names it neither there
// nor in the message before is taken for said in passing.
func nameAntecedents(shown []*ownClaim, endings []ending) []*ownClaim {
	bySource := make(map[int64][]*ownClaim)
	for _, c := range shown {
		bySource[c.source.ID] = append(bySource[c.source.ID], c)
	}
	out := make([]*ownClaim, 0, len(shown))
	for _, c := range shown {
		if c.approved || c.source.ID == c.claim.ID {
			out = append(out, c)
			continue
		}
		message := text.Line(c.source.Content)
		at := strings.Index(message, uncut(c.text))
		if c.isStump(message) {
			continue
		}
		if lean := c.wording(c.text).lean(); lean != grounding.Stands && at >= 0 {
			c = c.withAntecedent(message[:at], bySource[c.source.ID], endings, lean)
		}
		c = c.withGist(message, endings)
		out = append(out, c)
	}
	return out
}

// leanOf returns how much the first sentence of a text rests on another, unless the next one begins with
// a name: "He's here. Biscuit, nine weeks".
func leanOf(s string) grounding.Lean {
	sentences := text.Sentences(uncut(s))
	if len(sentences) == 0 {
		return grounding.Stands
	}
	lean := grounding.LeanOf(sentences[0])
	if lean == grounding.Dangles && len(sentences) > 1 && nameFollows.MatchString(sentences[1]) {
		return grounding.Stands
	}
	return lean
}

// nameFollows matches a sentence that begins with a name, which the one before may have a pronoun for.
var nameFollows = regexp.MustCompile(`^\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+)?,`)

// isStump reports whether a claim is of a sentence that says nothing without the rest of its message.
func (c *ownClaim) isStump(message string) bool {
	likely := stumpLikely
	switch {
	case ofLife.MatchString(c.text):
		return false
	case ownSubject.MatchString(c.text):
		likely = stumpLikelySubject
	case aPronoun.MatchString(c.text):
		likely = stumpLikelyPronoun
	}
	return c.isLasting() && !c.claim.Protected && claims.Likely(&c.claim) < likely && len(c.days) == 0 && c.ownEnd.IsZero() &&
		len(c.endings) == 0 && len(c.text) < len(message) && len(text.Sentences(c.text)) == 1 && grounding.IsStump(c.text)
}

// withAntecedent returns a copy of a claim with what of its message before it names what it rests on.
// others are the claims of the message.
func (c *ownClaim) withAntecedent(before string, others []*ownClaim, endings []ending, lean grounding.Lean) *ownClaim {
	with := *c
	own := text.Line(said.Own(c.source.Content))
	sentences := text.Sentences(before)
	i := naming(sentences)
	if last := len(sentences) - 1; i < 0 && last >= 0 && (grounding.OfThing(uncut(c.text)) || before == strings.ToLower(before)) && !said.Asks(sentences[last]) && !text.IsSmallTalk(sentences[last]) {
		i = last // "it" is in it, or its names have no capitals
	}
	if i >= 0 {
		s, open := sentences[i], pronounOf(c.text) != ofNone && peopleIn(sentences[i]) != 1
		if i > 0 && i == len(sentences)-1 && pronounOf(c.text) != ofNone && peopleIn(s) > 0 && peopleIn(sentences[i-1]) > 0 {
			s, open = sentences[i-1], true // either may be meant
		}
		span := strings.TrimSpace(before[strings.LastIndex(before, s):])
		folded := text.Fold(span)
		holds := !slices.ContainsFunc(c.over, func(over string) bool { return strings.Contains(folded, over) }) && strings.Contains(own, span) &&
			!endsAny(endings, span, c.source.EventTime.Time, text.Fold(c.who()))
		beside := slices.ContainsFunc(others, func(o *ownClaim) bool { return len(o.text) > len(s) && strings.Contains(o.text, s) })
		if whole := span + " " + c.text; holds && !beside && text.Tokens(whole) <= maxSentence {
			return with.of(whole, span)
		}
		if clause, _ := namingClause(s); holds && !open && clause != "" && text.Tokens(clause)+text.Tokens(c.text) <= maxSentence+clauseRest {
			return with.of(clause+elision+c.text, clause)
		}
	}
	switch {
	case len(sentences) > 0:
	case c.named != "":
		return with.of("("+c.named+") "+c.text, c.named)
	case lean == grounding.Dangles:
		with.dangles = true
	}
	return &with
}

// withGist returns a copy of a claim with the few words before or after its sentence that change a life:
// "Tommy's dead." They rarely have a line of their own.
func (c *ownClaim) withGist(message string, endings []ending) *ownClaim {
	at := strings.Index(message, c.text)
	if at < 0 || !c.isLasting() {
		return c
	}
	own := text.Line(said.Own(c.source.Content))
	before, after := text.Sentences(message[:at]), text.Sentences(message[at+len(c.text):])
	is := func(s string) bool {
		folded := text.Fold(s)
		return len(text.Terms(s)) <= gistTerms && ofLife.MatchString(s) && !grounding.Denial.MatchString(s) && !said.Asks(s) && strings.Contains(own, s) && text.Tokens(s)+text.Tokens(c.text) <= statedTokens &&
			!slices.ContainsFunc(c.over, func(over string) bool { return strings.Contains(folded, over) }) && !endsAny(endings, s, c.source.EventTime.Time, text.Fold(c.who()))
	}
	from, to := at, at+len(c.text)
	if n := len(before); n > 0 && is(before[n-1]) {
		from = strings.LastIndex(message[:at], before[n-1])
	} else if len(after) > 0 && is(after[0]) {
		to += strings.Index(message[to:], after[0]) + len(after[0])
	}
	if to-from == len(c.text) {
		return c
	}
	with := *c
	return with.of(message[from:to], message[from:at]+" "+message[at+len(c.text):to])
}

// gistTerms is the maximum length of such words, in terms.
const gistTerms = 5

// naming returns which of the last two sentences names what the next one rests on, -1 for neither: the
// last one with a person, or else the last one with any name.
func naming(sentences []string) int {
	for _, least := range []float64{namesRelation, namesSomething} {
		for i := len(sentences) - 1; i >= max(0, len(sentences)-2); i-- {
			if _, names := namingClause(sentences[i]); names >= least {
				return i
			}
		}
	}
	return -1
}

// How well a clause names what a later sentence rests on.
const (
	namesSomething = 1.0
	namesInFull    = 1.8 // it begins with two words with a capital
	namesRelation  = 2.0 // "my sister"
	namesPerson    = 3.0

	subordinate = 1.2 // less
)

// Words of a clause: people by their title, people by what they are to the speaker, and the beginning of a
// subordinate clause.
var (
	titled       = regexp.MustCompile(`(?:^|[^\pL])(?:Herrn?|Frau|Dr|Mr|Mrs|Ms|Miss|Onkel|Tante|Uncle|Aunt|Auntie|Señora?|Don|Doña)\.? \p{Lu}`)
	relations    = prefilter.New(`(?i)\b(?:my|our|mein\pL*|unser\pL*|mis?|nuestr[oa]s?) \pL+|\b(?:mum|mom|dad|grandma|grandpa|nana|oma|opa|mama|papa)\b`, `我\p{Han}|老[師师闆板公婆]|[媽妈爸哥姊姐弟妹婆公]`)
	subordinates = regexp.MustCompile(`^(?:die|der|das|dem|den|dessen|deren|dass|ob|weil|wenn|wie|wo|was|who|which|that|whether|because|if|que|si|porque)(?:[^\pL]|$)`)
	clauseEnds   = regexp.MustCompile(`[,;:，；：—–!?。]\s*|\s+-\s+|\.{3}|…`)
	joinedTo     = regexp.MustCompile(`^(?i:and|but|und|aber|y|pero) `)
)

// namesIn returns how well a clause names somebody or something.
func namesIn(clause string) (best float64) {
	before := false
	for i, w := range strings.FieldsFunc(clause, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		folded := text.Fold(w)
		capital := w != strings.ToLower(w) && !(i == 0 && text.IsStopWord(folded)) && folded != "i"
		switch {
		case !capital:
		case names.IsGiven(folded) && !names.IsAlsoWord(folded) && !text.IsStopWord(folded):
			best = namesPerson
		case before && i == 1:
			best = max(best, namesInFull)
		default:
			best = max(best, namesSomething)
		}
		before = capital
	}
	switch {
	case titled.MatchString(clause):
		best = namesPerson
	case relations.MatchString(clause):
		best = max(best, namesRelation)
	case best == 0 && strings.ContainsFunc(clause, func(r rune) bool { return unicode.Is(unicode.Han, r) }):
		best = namesSomething
	}
	if subordinates.MatchString(clause) {
		best -= subordinate
	}
	return best
}

// namingClause returns the clause of a sentence that best names somebody or something, the last of several
// with a person, without the mark at its end, and how well it does; "" for none.
func namingClause(sentence string) (clause string, best float64) {
	from := 0
	for _, at := range append(clauseEnds.FindAllStringIndex(sentence, -1), []int{len(sentence), len(sentence)}) {
		part := joinedTo.ReplaceAllString(strings.TrimRight(strings.TrimSpace(sentence[from:at[0]]), ". "), "")
		if of := namesIn(part); of > best && of >= namesSomething || of == namesPerson {
			clause, best = part, of
		}
		from = at[1]
	}
	return clause, best
}

// peopleIn returns how many clauses of a sentence name people.
func peopleIn(sentence string) (n int) {
	for _, clause := range clauseEnds.Split(sentence, -1) {
		if namesIn(clause) >= namesRelation {
			n++
		}
	}
	return n
}

// of sets the text of a claim, to which words were added.
func (c *ownClaim) of(shown, added string) *ownClaim {
	c.text, c.terms, c.roots = shown, slices.Clone(c.terms), slices.Clone(c.roots)
	for _, term := range text.Terms(added) {
		c.terms, c.roots = append(c.terms, term), append(c.roots, lexicon.Roots(term)...)
	}
	slices.Sort(c.terms)
	slices.Sort(c.roots)
	c.terms, c.roots = slices.Compact(c.terms), slices.Compact(c.roots)
	return c
}

// namedWithin is how long before a message another one of its conversation may name what it is about.
const namedWithin = time.Hour

// nameFromTalk finds, for messages that begin with what rests on an earlier sentence, the name with
// which the message of the same speaker just before begins: "Hanna and Jo want the 5 July", "told
// them 900".
func (r *claimReader) nameFromTalk(ctx context.Context, told []*ownClaim) error {
	type found struct {
		name string
		of   int64
	}
	known := make(map[int64]found)
	for _, c := range told {
		m := &c.source
		if c.text == "" || m.Kind != schema.KindEpisode || leanOf(c.text) == grounding.Stands || pronounOf(c.text) == ofNone && leanOf(c.text) != grounding.Dangles || !strings.HasPrefix(text.Line(m.Content), uncut(c.text)) {
			continue
		}
		f, done := known[m.ID]
		if !done {
			before, err := r.s.Before(ctx, m, 3)
			if err != nil {
				return err
			}
			if at := slices.IndexFunc(before, func(b schema.Memory) bool { return b.Role == "user" }); at >= 0 {
				b := before[at]
				withdrawn, err := r.withdrawnFrom(ctx, map[int64]schema.Memory{b.ID: b})
				if err != nil {
					return err
				}
				if isOwnSaying(&b) && b.Speaker == m.Speaker && m.EventTime.Sub(b.EventTime.Time) <= namedWithin && len(withdrawn[b.ID]) == 0 {
					if f.name = firstNames(b.Content); mayMean(c.text, f.name) {
						f.of = b.ID
					} else {
						f.name = ""
					}
				}
			}
			known[m.ID] = f
		}
		if f.name != "" {
			c.named, c.needs = f.name, append(c.needs, f.of)
		}
	}
	return nil
}

// firstNames returns the name of a message with those joined to it: "Hanna & Jo", if it names no other person,
// by name or by what they are, and asks nothing.
func firstNames(message string) string {
	message = text.Line(message)
	if said.Asks(message) || relations.MatchString(message) || grounding.MentionsSomebody(message) {
		return ""
	}
	name := severalNames.FindString(message)
	for _, m := range text.Mentions(message) {
		switch {
		case m.Type != text.MentionName || name != "" && strings.Contains(name, m.Text) || namesIn(m.Text) < namesPerson:
		case name == "":
			name = m.Text
		default:
			return "" // a pronoun may mean either
		}
	}
	if name == "" && message == strings.ToLower(message) { // typed without capitals
		for _, w := range strings.FieldsFunc(text.Fold(message), func(r rune) bool { return !unicode.IsLetter(r) }) {
			switch {
			case w == name || !names.IsGiven(w) || names.IsAlsoWord(w) || text.IsStopWord(w):
			case name == "":
				name = w
			default:
				return ""
			}
		}
	}
	if namesIn(name) >= namesPerson || slices.ContainsFunc(strings.Fields(text.Fold(name)), names.IsGiven) {
		return name
	}
	return ""
}

// severalNames matches two or more names.
var severalNames = regexp.MustCompile(`\p{Lu}[\pL'’-]+(?: (?:&|and|und|y) \p{Lu}[\pL'’-]+)+`)

// mayMean reports whether the pronoun at the beginning of a sentence may mean a name by its number and, as
// far as endings of given names tell, by its gender: "told them 900" never means one person.
func mayMean(sentence, name string) bool {
	several, of := severalNames.MatchString(name), pronounOf(sentence)
	folded := text.Fold(name)
	switch of {
	case ofSeveral:
		return several
	case ofOne:
		return !several
	case ofWoman:
		return !several && womansName.MatchString(folded)
	case ofMan:
		return !several && !womansName.MatchString(folded)
	}
	return false
}

// What a pronoun at the beginning of a sentence may stand for.
const (
	ofNone = iota
	ofSeveral
	ofMan
	ofWoman
	ofOne // of either
)

func pronounOf(sentence string) int {
	for of, p := range pronouns {
		if p.MatchString(uncut(sentence)) {
			return of
		}
	}
	return ofNone
}

var (
	pronouns = map[int]*regexp.Regexp{
		ofSeveral: regexp.MustCompile(`^(?i:(?:so|and|but|also|just|then|und|aber|y|pero),? )*(?i:they|they(?:ve|re|d|ll)|their|themselves|(?:(?:i|we) )?\pL+ them|(?:those|these|the) two|both|die beiden|sie (?:\pL+en|sind)|(?:a )?(?:ellos|ellas)|amb[oa]s|l[oa]s dos)(?:[^\pL]|$)`),
		ofMan:     regexp.MustCompile(`^(?i:(?:so|and|but|also|just|then|und|aber|y|pero),? )*(?i:hes?|his|himself|(?:(?:i|we) )?\pL+ him|er|seine?[mnrs]?|(?:a )?él|a el l[eo])(?:[^\pL]|$)`),
		ofWoman:   regexp.MustCompile(`^(?i:(?:so|and|but|also|just|then|und|aber|y|pero),? )*(?i:shes?|her|herself|(?:(?:i|we) )?\pL+ her|sie (?:\pL+t|isn?|ist|war|will|kann|muss|mag)|(?:a )?ella)(?:[^\pL]|$)`),
		ofOne:     regexp.MustCompile(`^(?i:(?:y|pero),? )*(?i:su)(?:[^\pL]|$)|^(?i:(?:y|pero|ya|no|me|le|lo|la|se),? )*(?i:dijo|vino|hizo|trajo|tuvo|quiso|tiene|quiere|dice|vive|trabaja|está|toma|usa|lleva|nació|cumple|cumplió|va|transfiri[oó]|pidi[oó]|sali[oó]|llamó|compró|vendi[oó]|pagó|dejó)(?:[^\pL]|$)`),
	}
	womansName = regexp.MustCompile(`(?:a|ah|eth|ine|elle|een|ice|ette|ie)$|^(?:frau|mrs|ms|miss|tante|aunt|auntie|señora|doña)(?:[^\pL]|$)`)
)
