package claims

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// targets are the memories that a request to forget concerns.
type targets struct {
	claims   []schema.Memory
	episodes []schema.Memory
	reading  said.Claim // parsed from the request; zero if it cannot be parsed
	request  string     // its sentence; "" for a host's
	object   string     // what a request of a known form names
	wanted   string     // what the request wants forgotten, without what it says is to stay
	terms    []string   // of the request's object
	certain  bool       // it names a claim, a predicate or a person
	byWords  bool       // the claims are those that hold the terms, in whichever clause
	pointed  bool       // it names nothing and refers to messages
	parsed   bool       // what code parsed from the messages is meant, too
	itself   bool       // it is the requesting message
	only     string     // the one sentence of the messages that is meant, "" for all
	whole    bool       // it points at messages as a whole

	quarantined bool // hide quarantined memories, too
}

// add adds a memory.
func (t *targets) add(m *schema.Memory) {
	if m.Kind == schema.KindEpisode {
		t.episodes = append(t.episodes, *m)
	} else {
		t.claims = append(t.claims, *m)
	}
}

// clear reports whether the request names its targets without ambiguity.
func (t *targets) clear() bool {
	switch n := len(t.claims) + len(t.episodes); {
	case t.pointed:
		return true
	case n == 0 || len(t.claims) > maxHidden || len(t.episodes) > maxHidden:
		return false
	default:
		return t.certain || len(t.terms) > 1 || n <= vagueHidden
	}
}

// single reports whether all targets were said at one time.
func (t *targets) single() bool {
	all := slices.Concat(t.claims, t.episodes)
	return len(all) > 0 && !slices.ContainsFunc(all, func(m schema.Memory) bool { return !m.EventTime.Equal(all[0].EventTime.Time) })
}

// past matches words for what no longer holds.
var past = regexp.MustCompile(`(?i)\b(?:old|former|previous|ex|past|alte[nrsm]?|frühere[nrsm]?|ehemalige[nrsm]?|viej[oa]s?|antigu[oa]s?|anterior(?:es)?)\b|旧的?|以前的?|过去的?|原来的?`)

// saying are terms for how and when something was said, which do not describe what
// was said: "the digits I typed the other evening".
var saying = text.TermsOf(`said say saying told tell telling mentioned mention typed type typing wrote write written writing posted post posting shared share sharing
	sent send gave given giving confided message other evening morning yesterday first second week time
	gesagt erzählt geschrieben erwähnt gegeben anvertraut getippt gepostet geschickt gemeldet neulich gestern abend woche mal
	dije dicho decir di dado pasé pase confesé conté contado platiqué escribí escrito mencioné mencionado mandé puse ayer anoche mensaje
	primera segunda semana vez`)

// fillers are terms for anything at all and for how completely to forget it: "the
// counselor business, name and all".
var fillers = text.TermsOf(`going goin gonna went record records notes memory also too u ur n q abt tho cos cuz innit babe mate pls plz
	mehr gilt egal die dies diese dieser alles auch dat wat dit ma nich nix net ned nid des hab lass meiner también tampoco business name thing stuff matter story bit whole entirely completely altogether forever again ever anywhere computer file trace word
	komplett völlig ganz gänzlich restlos irgendwann irgendwo jemals auftaucht auftauchen namen name sache ding wort
	nombre cosa completo entero más nunca jamás volver leer leerlo verlo saber quiero quedar salido palabra`)

// someTime matches times that name no date.
var someTime = regexp.MustCompile(`(?i)\b(?:the other|that|one) (?:day|night|evening|week|time|morning|weekend)\b|\b(?:neulich|letztens|kürzlich|damals|an (?:de[mn]|jenem) (?:abend|tag)|in (?:der|jener) nacht)\b|` +
	`(?:^|[^\pL])(?:el otro d[ií]a|la otra (?:noche|tarde|vez)|(?:aquel|ese) d[ií]a|(?:aquella|esa|una) (?:noche|tarde|vez|semana))(?:[^\pL]|$)|那[天晚次回]|前几天|前阵子|上[次回]`)

// naming returns the terms of a request's object that describe what is meant, and not how
// or when it was said. Vague ones do if there is nothing else: "my computer".
func naming(q *said.Request, now time.Time) []string {
	terms, object := text.QueryTerms(q.About, 0), q.Object()
	if q.Loose || q.About == "" {
		terms = slices.Sorted(maps.Keys(q.Terms))
	}
	terms = slices.DeleteFunc(terms, func(term string) bool { return saying[term] })
	when := someTime.FindAllString(object, -1)
	for _, span := range text.TimeSpans(object, now) {
		when = append(when, span.Text)
	}
	for _, vague := range []map[string]bool{fillers, text.TermsOf(when...)} {
		if telling := slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return vague[term] }); len(telling) > 0 {
			terms = telling
		}
	}
	return terms
}

// leading matches words that precede the object of a request.
var leading = regexp.MustCompile(`(?i)^(?:(?:that|about|my|our|mein(?:e[nrms]?)?|dass|mis?|que|mi|nuestr[oa]s?|我的?)\s*)+`)

// reference is what words say that refer to a memory.
type reference struct {
	reading said.Claim // parsed from them; zero if they cannot be parsed
	ended   bool       // they are of what no longer holds
	phrase  string     // they, without the word for that
	noun    string     // of the phrase, folded
}

func refer(about string, names ...string) (r reference) {
	if c, _ := Parse(about, "", names); known(c) {
		r.reading = c
	}
	r.ended = past.MatchString(about)
	r.phrase = strings.TrimSpace(past.ReplaceAllString(about, " "))
	r.noun = text.Fold(strings.TrimSpace(leading.ReplaceAllString(r.phrase, "")))
	return r
}

// states reports whether a reading says what another does.
func states(is, c said.Claim) bool {
	return known(is) && known(c) && (like(c, is) || said.Compare(is, c) == said.Same)
}

// named finds the claims that words refer to: those that say the same, else those
// with a predicate or subject of that name, else those that contain all of the
// words.
func (w *reading) named(ctx context.Context, about string) (t targets, err error) {
	all, err := w.claimed(ctx)
	if err != nil {
		return t, err
	}
	now, err := w.local(ctx)
	if err != nil {
		return t, err
	}
	of := refer(about, w.owner.User, w.Speaker)
	t.reading, t.terms = of.reading, naming(&said.Request{About: of.phrase}, now)
	if known(t.reading) {
		t.reading.Subject = w.subject(t.reading.Subject)
	}
	t.certain = known(t.reading) || slices.ContainsFunc(text.Mentions(about), func(m text.Mention) bool { return m.Type != text.MentionDate })
	all = slices.DeleteFunc(all, func(m schema.Memory) bool { return m.State == schema.StateForgotten })
	t.addClaims(all, func(m *schema.Memory) bool { return states(t.reading, labelled(m, w.owner.User)) })
	if len(t.claims) > 0 || len(t.terms) == 0 {
		return t, nil
	}
	self, own := w.subject(speaker), w.subject(mine+of.noun)
	holds := func(m *schema.Memory) bool { return !of.ended || m.State == schema.StateSuperseded }
	for _, predicate := range likelyPredicates(of.noun) {
		t.addClaims(all, func(m *schema.Memory) bool {
			subject := spoken(m.Subject, w.owner.User)
			return holds(m) && (of.ended || isCurrent(m)) && (key(m.Predicate) == predicate && subject == self || subject == own)
		})
		if len(t.claims) > 0 {
			t.certain = true
			return t, nil
		}
	}
	t.byWords = true
	t.addClaims(all, func(m *schema.Memory) bool { return holds(m) && t.holds(m) })
	return t, nil
}

func (t *targets) addClaims(all []schema.Memory, is func(m *schema.Memory) bool) {
	for i := range all {
		if is(&all[i]) {
			t.claims = append(t.claims, all[i])
		}
	}
}

// Names reports whether words refer to a memory: it says the same, its predicate or
// subject has that name, or it contains most of the words.
func Names(about string, m *schema.Memory, owner string) bool {
	of, k := refer(about, owner), labelled(m, owner)
	if states(of.reading, k) || k.Predicate != "" && (slices.Contains(likelyPredicates(of.noun), key(m.Predicate)) || k.Subject == mine+of.noun) {
		return true
	}
	terms := text.QueryTerms(of.phrase, 0)
	n := shared(terms, wordsOf(m))
	return n > 0 && 2*n > len(terms)
}

// wordsOf returns the terms of a memory.
func wordsOf(m *schema.Memory) []string {
	return text.Terms(m.Content + " " + m.Subject + " " + strings.ReplaceAll(m.Predicate, "_", " ") + " " + m.Object)
}

// likelyPredicates returns the predicates that a noun may stand for, likeliest
// first.
func likelyPredicates(noun string) []string {
	predicates := []string{key(strings.ReplaceAll(noun, " ", "_"))}
	switch predicates[0] {
	case "address":
		predicates = append(predicates, "lives_in")
	case "works_as":
		predicates = append(predicates, "works_at")
	}
	return predicates
}

// holds reports whether a memory contains all named terms.
func (t *targets) holds(m *schema.Memory) bool {
	return len(t.terms) > 0 && shared(t.terms, wordsOf(m)) == len(t.terms)
}

// addEpisodes adds the found messages that match, except the requesting one.
func (t *targets) addEpisodes(found []schema.Memory, but int64) {
	for _, m := range found {
		if m.ID != but && m.Kind == schema.KindEpisode && m.State == schema.StateActive && t.says(&m) {
			t.episodes = append(t.episodes, m)
		}
	}
}

func (t *targets) says(m *schema.Memory) bool {
	return t.holds(m) || known(t.reading) && slices.ContainsFunc(said.Claims(m.Content, 0), func(c said.Claim) bool { return states(t.reading, c) })
}

// leastNamed is the share of a request's terms that a memory must contain to be its
// target, if none contains them all.
const leastNamed = 0.5

// nearest selects the few memories that contain most of the named terms, at least
// half. Terms are weighted by rarity; those that no memory contains count less, since they
// often belong to the request ("the digits I typed"). Among many matches
// it selects the newest claim: hiding a wrong one can be undone, and asking the
// host would not serve the user. A memory that the user asked to keep is hidden
// only if its own words match.
func (w *reading) nearest(ctx context.Context, t *targets, found []schema.Memory) error {
	if len(t.terms) == 0 {
		return nil
	}
	all, err := w.claimed(ctx)
	if err != nil {
		return err
	}
	weights := make(map[string]float64)
	for _, term := range t.terms {
		weights[term] = 1
	}
	x := indexOf(weights, w.candidates(append(all, found...)), nil)
	most := leastNamed
	var near []schema.Memory
	for i, share := range x.shares() {
		switch {
		case share == 0:
		case share > most:
			most, near = share, []schema.Memory{x.memories[i]}
		case share == most:
			near = append(near, x.memories[i])
		}
	}
	if len(near) > vagueHidden { // among claims and the messages around them, the claims are meant
		near = slices.DeleteFunc(near, func(m schema.Memory) bool { return m.Kind == schema.KindEpisode })
	}
	if len(near) > vagueHidden {
		near = []schema.Memory{slices.MaxFunc(near, func(a, b schema.Memory) int {
			return cmp.Or(a.EventTime.Compare(b.EventTime.Time), cmp.Compare(a.ID, b.ID))
		})}
	}
	for i := range near {
		t.add(&near[i])
	}
	t.certain = t.certain || len(near) > 0
	return nil
}
