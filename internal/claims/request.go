package claims

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// ProposalForget is the kind of proposals to forget something that code cannot
// identify or may not hide without the host. The payload is a [Forgetting] as JSON.
const ProposalForget = "forget"

// Forgetting is the payload of a [ProposalForget]: the public id of the user's message
// that requests it, or of the memory that a model wanted to hide.
type Forgetting struct {
	Message string `json:"message,omitempty"`
	Memory  string `json:"memory_id,omitempty"`
}

// Limits of a request.
const (
	claimsRead  = 2000 // the newest claims searched for the object of a request
	before      = 12   // preceding messages searched if a message only refers to them
	maxKept     = 3    // claims that words alone may protect
	maxHidden   = 30   // claims or messages that words alone may hide; more are a whole subject
	vagueHidden = 3    // claims that a single common word may hide
)

// request carries out one request of the message.
func (w *reading) request(ctx context.Context, q said.Request, found []schema.Memory) error {
	if q.Verb == said.Keep {
		return w.keep(ctx, q)
	}
	return w.forget(ctx, q, found)
}

// keep protects the object of a request, and stores it first if it is not known.
func (w *reading) keep(ctx context.Context, q said.Request) error {
	targets := w.madeIn(q.Sentence)
	if len(targets) == 0 && q.About != "" {
		named, err := w.named(ctx, q.About)
		if err != nil {
			return err
		}
		if current := slices.DeleteFunc(named.claims, func(m schema.Memory) bool { return !isCurrent(&m) }); len(current) <= maxKept {
			for i := range current {
				targets = append(targets, &current[i])
			}
		}
	}
	if len(targets) == 0 && q.About == "" {
		targets = w.madeIn("")
	}
	if len(targets) == 0 {
		from, sentence := w.Memory, q.Sentence
		if q.About == "" && w.onlyAsks() {
			previous, err := w.previous(ctx)
			if err != nil || len(previous) == 0 {
				return err
			}
			from = &previous[0]
			sentence = from.Content
			rest, err := w.tx.Resting(ctx, w.UserID, []int64{from.ID})
			if err != nil {
				return err
			}
			for i := range rest {
				if isCurrent(&rest[i]) {
					targets = append(targets, &rest[i])
				}
			}
		} else if q.About == "" {
			sentence = strings.TrimSpace(strings.Replace(w.Content, q.Sentence, "", 1))
		}
		if len(targets) == 0 {
			kept, err := w.add(ctx, from, truncated(sentence), said.Claim{})
			if err != nil || kept == nil {
				return err
			}
			targets = append(targets, kept)
		}
	}
	for _, m := range targets {
		if err := w.protect(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// truncated shortens a text to the length of a claim.
func truncated(s string) string {
	if runes := []rune(s); len(runes) > maxSentence {
		return string(runes[:maxSentence])
	}
	return s
}

// madeIn returns the claims of a sentence of the message; "" is any sentence.
func (w *reading) madeIn(sentence string) (made []*schema.Memory) {
	for s, claims := range w.made {
		if sentence == "" || overlap(s, sentence) {
			made = append(made, claims...)
		}
	}
	slices.SortFunc(made, func(a, b *schema.Memory) int { return int(a.ID - b.ID) })
	return slices.CompactFunc(made, func(a, b *schema.Memory) bool { return a.ID == b.ID })
}

func (w *reading) protect(ctx context.Context, m *schema.Memory) error {
	fresh, err := w.tx.Memory(ctx, w.UserID, m.UID)
	if err != nil || fresh.Protected || !isCurrent(fresh) {
		return err
	}
	if err := w.tx.Protect(ctx, fresh, w.run.by); err != nil {
		return err
	}
	w.run.did("protect", fresh)
	return nil
}

// isCurrent reports whether a claim holds now.
func isCurrent(m *schema.Memory) bool {
	return m.Kind != schema.KindEpisode && (m.State == schema.StateActive || m.State == schema.StateDormant) && m.ValidUntil.IsZero()
}

// onlyAsks reports whether a message contains only requests and courtesies, so that it
// refers to earlier messages.
func (w *reading) onlyAsks() bool {
	rest := w.Content
	for _, q := range w.requests {
		rest = strings.Replace(rest, q.Sentence, " ", 1)
	}
	return text.IsSmallTalk(rest) || len(text.QueryTerms(rest, 0)) == 0
}

// previous returns the exchange before the message: the user's last message, then the
// answer to it.
func (w *reading) previous(ctx context.Context) (exchange []schema.Memory, err error) {
	earlier, err := w.tx.Before(ctx, w.Memory, before)
	if err != nil {
		return nil, err
	}
	last := slices.IndexFunc(earlier, func(m schema.Memory) bool { return Own(&m) })
	if last < 0 {
		return nil, nil
	}
	exchange = []schema.Memory{earlier[last]}
	for _, m := range earlier[:last] {
		if m.State == schema.StateActive {
			exchange = append(exchange, m)
		}
	}
	return exchange, nil
}

// forget hides what a request names or points at, and the requesting message. If that is
// ambiguous, it makes a proposal to the host.
func (w *reading) forget(ctx context.Context, q said.Request, found []schema.Memory) error {
	var t targets
	switch {
	case q.Loose: // see below
	case q.About != "":
		named, err := w.named(ctx, q.About)
		if err != nil {
			return err
		}
		t = named
		t.addEpisodes(found, w.ID)
		if len(t.claims)+len(t.episodes) == 0 {
			if err := w.nearest(ctx, &t, found); err != nil {
				return err
			}
		}
		if t.reading.Predicate != "" && len(t.claims) == 0 && len(t.episodes) > 0 {
			// otherwise the messages would become a claim later
			m := w.claimOf(w.Memory, q.About, t.reading)
			err := w.tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, ""), map[int64]string{w.ID: q.About}, w.run.by)
			if err != nil {
				return err
			}
			t.claims = append(t.claims, *m)
		}
	case w.onlyAsks():
		previous, err := w.previous(ctx)
		if err != nil {
			return err
		}
		t.episodes, t.pointed = previous, true
	default: // it refers to text beside it in the message
		rest := strings.TrimSpace(strings.Replace(w.Content, q.Sentence, " ", 1))
		named, err := w.named(ctx, rest)
		if err != nil {
			return err
		}
		if t = named; len(t.claims) == 0 {
			if err := w.nearest(ctx, &t, found); err != nil {
				return err
			}
		}
		t.pointed = true
	}
	if !t.clear() && (q.Loose || q.About != "") {
		var err error
		if t, err = w.likeliest(ctx, q, found); err != nil {
			return err
		}
	}
	if !t.clear() {
		_, added, err := w.tx.Propose(ctx, w.UserID, ProposalForget, Forgetting{Message: w.UID}, "the user asked to forget something, and nothing that is remembered is clearly meant", w.run.by)
		if err == nil && added {
			w.run.outcomes = append(w.run.outcomes, outcome{Kind: ProposalForget, Memory: w.UID, Status: waiting})
		}
		return err
	}
	t.episodes = append(t.episodes, *w.Memory)
	return w.hide(ctx, &t)
}

// leastNamed is the share of a request's terms that a memory must contain to be its
// target, if none contains them all.
const leastNamed = 0.5

// nearest selects the few memories that contain most of the named terms, at least
// half. Terms are weighted by rarity; those that no memory contains are ignored,
// since they often belong to the request ("the digits I typed"). Among many matches
// it selects the newest claim: hiding a wrong one can be undone, and asking the
// host would not serve the user. A memory that the user asked to keep is hidden
// only if its own words match.
func (w *reading) nearest(ctx context.Context, t *targets, found []schema.Memory) error {
	if len(t.terms) == 0 {
		return nil
	}
	all, err := w.tx.Claims(ctx, w.UserID, claimsRead)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(append(all, found...), func(m schema.Memory) bool {
		return m.ID == w.ID || m.Protected || m.State == schema.StateForgotten || m.Kind == schema.KindEpisode && !Own(&m)
	})
	most := leastNamed
	var near []schema.Memory
	for i, share := range shared(t.terms, all, 0) {
		switch {
		case share == 0:
		case share > most:
			most, near = share, []schema.Memory{all[i]}
		case share == most:
			near = append(near, all[i])
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
	for _, m := range near {
		if m.Kind == schema.KindEpisode {
			t.episodes = append(t.episodes, m)
		} else {
			t.claims = append(t.claims, m)
		}
	}
	t.certain = t.certain || len(near) > 0
	return nil
}

// Thresholds and weights for loose requests, each 0–1.
const (
	leastShared  = 0.4  // share of the request's words, weighted by rarity, that a memory must contain
	unknownShare = 0.3  // weight of a word in no memory, relative to one in a single memory
	leastAhead   = 0.05 // how far the score of what is meant is above that of anything else
	topicShare   = 0.5  // weight of topics relative to words
)

// likeliest selects the claim or message that a loosely worded request most likely
// means, by shared terms, weighted by rarity, and by topics. A request that refers
// back without naming anything means the preceding exchange.
func (w *reading) likeliest(ctx context.Context, q said.Request, found []schema.Memory) (t targets, err error) {
	all, err := w.tx.Claims(ctx, w.UserID, claimsRead)
	if err != nil {
		return t, err
	}
	earlier, err := w.tx.Before(ctx, w.Memory, loosely)
	if err != nil {
		return t, err
	}
	all = slices.DeleteFunc(slices.Concat(all, found, earlier), func(m schema.Memory) bool {
		return m.ID == w.ID || m.Protected || m.State == schema.StateForgotten || m.Kind == schema.KindEpisode && !Own(&m)
	})
	names := slices.DeleteFunc(text.QueryTerms(q.Object(), 0), func(term string) bool { return saying[term] })
	best, most := -1, 0.0
	for _, part := range append(parts.Split(q.Object(), -1), q.Object()) { // reasons follow what is to go: "…, my mum uses this account too"
		terms := slices.DeleteFunc(text.QueryTerms(part, 0), func(term string) bool { return !slices.Contains(names, term) })
		share := shared(terms, all, unknownShare)
		about := topics.Ask(topics.Of(part))
		rival := 0.0 // the best score of something said at another time
		for i := range all {
			if share[i] < leastShared {
				continue
			}
			score := share[i] + topicShare*about.Near(topics.Of(all[i].Content))
			another := best >= 0 && all[i].EventTime.Sub(all[best].EventTime.Time).Abs() > time.Minute
			switch later := best >= 0 && all[i].EventTime.After(all[best].EventTime.Time); {
			case score > most || score == most && later:
				if another {
					rival = most
				}
				best, most = i, score
			case another:
				rival = max(rival, score)
			}
		}
		if most-rival < leastAhead {
			best, most = -1, 0
		}
		if t.terms = terms; best >= 0 {
			break
		}
	}
	if q.Back && (best < 0 || most < 1) {
		t.episodes, err = w.previous(ctx)
		t.pointed = len(t.episodes) > 0
		return t, err
	}
	if best >= 0 {
		t.certain = true
		if all[best].Kind == schema.KindEpisode {
			t.episodes, t.pointed = append(t.episodes, all[best]), true
		} else {
			t.claims, t.pointed = append(t.claims, all[best]), isLasting(&all[best])
		}
	}
	return t, nil
}

// parts separates the clauses of a request.
var parts = regexp.MustCompile(`[,.;:!?…—–()，。；：！？、]+`)

// loosely is how many preceding messages a loose request is compared with, in
// addition to the claims.
const loosely = 100

// isHan reports whether a term consists of Chinese characters.
func isHan(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return unicode.Is(unicode.Han, r)
}

// shared returns the share of the terms that each memory contains, weighted by
// rarity. Terms that no memory contains have the weight unknown.
func shared(terms []string, all []schema.Memory, unknown float64) []float64 {
	held, with := make([][]string, len(all)), make(map[string]int)
	for i := range all {
		words := wordsOf(&all[i])
		for _, term := range terms {
			if slices.Contains(words, term) {
				held[i] = append(held[i], term)
				with[term]++
			}
		}
	}
	weigh := func(terms []string) (sum float64) {
		for _, term := range terms {
			if n := with[term]; n > 0 {
				sum += math.Log(1 + float64(len(all))/float64(n))
			} else {
				sum += unknown * math.Log(1+float64(len(all)))
			}
		}
		return sum
	}
	share, whole := make([]float64, len(all)), weigh(terms)
	for i := range all {
		if len(held[i]) > 1 || len(held[i]) == 1 && !isHan(held[i][0]) { // two adjacent characters may be chance
			share[i] = weigh(held[i]) / whole
		}
	}
	return share
}

// targets are the memories that a request to forget concerns.
type targets struct {
	claims   []schema.Memory
	episodes []schema.Memory
	reading  said.Claim // parsed from the request; zero if it cannot be parsed
	terms    []string   // of the request's object
	certain  bool       // it names a claim, a predicate or a person
	pointed  bool       // it names nothing and refers to messages
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

// past matches words for what no longer holds.
var past = regexp.MustCompile(`(?i)\b(?:old|former|previous|ex|past|alte[nrsm]?|frühere[nrsm]?|ehemalige[nrsm]?|viej[oa]s?|antigu[oa]s?|anterior(?:es)?)\b|旧的?|以前的?|过去的?|原来的?`)

// saying are terms for how and when something was said, or how completely to forget it,
// which do not describe what was said: "the digits I typed the other evening", "the
// counselor business, name and all".
var saying = func() map[string]bool {
	set := make(map[string]bool)
	for _, term := range text.Terms(`said say saying told tell telling mentioned mention typed type typing wrote write written writing posted post posting shared share sharing
		sent send message other evening morning yesterday first second week time
		business name thing stuff matter story bit whole entirely completely altogether forever again ever anywhere computer file trace word
		gesagt erzählt geschrieben erwähnt getippt gepostet geschickt gemeldet neulich gestern abend woche mal
		komplett völlig ganz gänzlich restlos irgendwann irgendwo jemals auftaucht auftauchen namen name sache ding wort
		dije dicho decir conté contado escribí escrito mencioné mencionado mandé puse ayer anoche mensaje
		primera segunda semana vez nombre cosa completo entero nunca jamás volver leer leerlo verlo saber quiero quedar salido palabra`) {
		set[term] = true
	}
	return set
}()

// leading matches words that precede the object of a request.
var leading = regexp.MustCompile(`(?i)^(?:(?:that|about|my|our|mein(?:e[nrms]?)?|dass|mis?|que|mi|nuestr[oa]s?|我的?)\s*)+`)

// named finds the claims that words refer to: those that say the same, else those
// with a predicate or subject of that name, else those that contain all of the
// words.
func (w *reading) named(ctx context.Context, about string) (t targets, err error) {
	all, err := w.tx.Claims(ctx, w.UserID, claimsRead)
	if err != nil {
		return t, err
	}
	all = slices.DeleteFunc(all, func(m schema.Memory) bool { return m.State == schema.StateForgotten })
	names := []string{w.owner.User, w.Speaker}
	if t.reading, _ = Parse(about, "", names); known(t.reading) {
		t.reading.Subject = spoken(Stored(t.reading.Subject, w.owner.User, w.Speaker), w.owner.User)
		t.certain = true
		for _, m := range all {
			if k := labelled(&m, w.owner.User); known(k) && (like(k, t.reading) || said.Compare(t.reading, k) == said.Same) {
				t.claims = append(t.claims, m)
			}
		}
	} else {
		t.reading = said.Claim{}
	}
	ended := past.MatchString(about)
	phrase := strings.TrimSpace(past.ReplaceAllString(about, " "))
	t.terms = slices.DeleteFunc(text.QueryTerms(phrase, 0), func(term string) bool { return saying[term] })
	t.certain = t.certain || slices.ContainsFunc(text.Mentions(about), func(m text.Mention) bool { return m.Type != text.MentionDate })
	if ended {
		all = slices.DeleteFunc(all, func(m schema.Memory) bool { return m.State != schema.StateSuperseded })
	}
	if len(t.claims) > 0 || len(t.terms) == 0 {
		return t, nil
	}
	noun := text.Fold(strings.TrimSpace(leading.ReplaceAllString(phrase, "")))
	for _, predicate := range likelyPredicates(noun) {
		for _, m := range all {
			if (ended || isCurrent(&m)) && (key(m.Predicate) == predicate && spoken(m.Subject, w.owner.User) == speaker || spoken(m.Subject, w.owner.User) == mine+noun) {
				t.claims = append(t.claims, m)
			}
		}
		if len(t.claims) > 0 {
			t.certain = true
			return t, nil
		}
	}
	for _, m := range all {
		if t.holds(&m) {
			t.claims = append(t.claims, m)
		}
	}
	return t, nil
}

// Names reports whether words refer to a memory: it says the same, its predicate or
// subject has that name, or it contains most of the words.
func Names(about string, m *schema.Memory, owner string) bool {
	k := labelled(m, owner)
	if c, _ := Parse(about, "", []string{owner}); known(c) && known(k) && (like(c, k) || said.Compare(c, k) == said.Same) {
		return true
	}
	phrase := strings.TrimSpace(past.ReplaceAllString(about, " "))
	noun := text.Fold(strings.TrimSpace(leading.ReplaceAllString(phrase, "")))
	if k.Predicate != "" && (slices.Contains(likelyPredicates(noun), key(m.Predicate)) || k.Subject == mine+noun) {
		return true
	}
	held, terms, n := wordsOf(m), text.QueryTerms(phrase, 0), 0
	for _, term := range terms {
		if slices.Contains(held, term) {
			n++
		}
	}
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
	if len(t.terms) == 0 {
		return false
	}
	held := wordsOf(m)
	return !slices.ContainsFunc(t.terms, func(term string) bool { return !slices.Contains(held, term) })
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
	if known(t.reading) && slices.ContainsFunc(said.Claims(m.Content, 0), func(c said.Claim) bool {
		return like(c, t.reading) || said.Compare(t.reading, c) == said.Same
	}) {
		return true
	}
	return t.holds(m)
}

// hide forgets the targets and whatever would reveal them: the messages that
// support the claims, other claims with the same words, memories derived from them,
// and summaries of entities that repeat them.
func (w *reading) hide(ctx context.Context, t *targets) error {
	hidden := make(map[int64]bool)
	one := func(m *schema.Memory) error {
		if hidden[m.ID] {
			return nil
		}
		hidden[m.ID] = true
		fresh, err := w.tx.Memory(ctx, w.UserID, m.UID)
		if err != nil || fresh.State == schema.StateForgotten || fresh.State == schema.StateQuarantined {
			return err
		}
		if err := w.tx.Forget(ctx, fresh, w.EventTime.Time, w.run.by); err != nil {
			return err
		}
		w.run.did("forget", fresh)
		w.hidden = append(w.hidden, *fresh)
		return nil
	}
	var ids []int64
	for i := range t.claims {
		ids = append(ids, t.claims[i].ID)
	}
	cited, err := w.tx.Cited(ctx, ids)
	if err != nil {
		return err
	}
	var sources []int64
	for _, c := range cited {
		sources = append(sources, c.SourceID)
	}
	behind, err := w.tx.ByID(ctx, w.UserID, sources)
	if err != nil {
		return err
	}
	t.episodes = append(t.episodes, behind...)
	for i := range t.claims {
		if err := one(&t.claims[i]); err != nil {
			return err
		}
	}
	for i := range t.episodes {
		if err := one(&t.episodes[i]); err != nil {
			return err
		}
		ids = append(ids, t.episodes[i].ID)
	}
	resting, err := w.tx.Resting(ctx, w.UserID, ids)
	if err != nil {
		return err
	}
	for i := range resting {
		m := &resting[i]
		if t.pointed || m.Kind == schema.KindReflection || isLasting(m) || t.tells(m.Content) {
			if err := one(m); err != nil {
				return err
			}
			t.claims = append(t.claims, *m)
		}
	}
	entities, err := w.tx.Summarised(ctx, w.UserID)
	if err != nil {
		return err
	}
	for i := range entities {
		if t.tells(entities[i].Summary) {
			if err := w.tx.ClearSummary(ctx, &entities[i], w.run.by); err != nil {
				return err
			}
		}
	}
	return nil
}

// tells reports whether a text contains the object of one of the claims, or all named
// terms.
func (t *targets) tells(s string) bool {
	folded := text.Fold(s)
	for i := range t.claims {
		if o := text.Fold(t.claims[i].Object); o != "" && grounding.HoldsWord(folded, o) {
			return true
		}
	}
	return t.holds(&schema.Memory{Content: s})
}

// meant carries out a request of the message for memories that the caller has
// identified.
func (w *reading) meant(ctx context.Context, q Request) error {
	t, err := w.these(ctx, q.Memories)
	if err != nil {
		return err
	}
	if q.Verb == said.Keep {
		for i := range t.claims {
			if err := w.protect(ctx, &t.claims[i]); err != nil {
				return err
			}
		}
		return nil
	}
	t.episodes = append(t.episodes, *w.Memory)
	return w.hide(ctx, &t)
}

// Forget hides a user's memories at the host's request, with everything that would
// reveal them, in a run of cause [schema.CauseHost].
//
// Errors: [schema.ErrNotFound] for an id that is not the user's; the database's.
func Forget(ctx context.Context, tx *schema.Tx, userID int64, uids ...string) (changes Changes, err error) {
	uid, err := uuid.NewV7()
	if err != nil {
		return changes, err
	}
	w := &reading{message: &message{Memory: &schema.Memory{UserID: userID, EventTime: schema.At(tx.Now)}}, tx: tx}
	if w.run, err = open(ctx, tx, userID, uid.String(), schema.CauseHost, "host"); err != nil {
		return changes, err
	}
	t, err := w.these(ctx, uids)
	if err != nil {
		return changes, err
	}
	if err := w.hide(ctx, &t); err != nil {
		return changes, err
	}
	if changes.Hidden = w.hidden; len(w.hidden) > 0 {
		changes.Run = uid.String()
	}
	return changes, w.run.close(ctx)
}

// these returns the memories of the given ids as targets.
func (w *reading) these(ctx context.Context, uids []string) (t targets, err error) {
	t.certain = true
	for _, uid := range uids {
		m, err := w.tx.Memory(ctx, w.UserID, uid)
		if err != nil {
			return t, err
		}
		if m.Kind == schema.KindEpisode {
			t.episodes = append(t.episodes, *m)
		} else {
			t.claims = append(t.claims, *m)
		}
	}
	return t, nil
}
