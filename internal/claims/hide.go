package claims

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// hiding is what a request or the host forgets, with what would reveal it.
type hiding struct {
	*reading

	t       *targets
	visited map[int64]bool // ids of the memories that are hidden, or stay as they are
	// ids are those of the targets, quotes and sources what of the messages the claims rest on, with
	// these messages.
	ids     []int64
	quotes  []string
	sources []schema.Memory
	// meant are the sentences that are to be forgotten, secret the clauses.
	meant, secret gists
	parts         map[int64]beside // of each message
	saved         []schema.Memory  // by agents, for the messages
	resting       []schema.Memory  // on the targets
	restates      func(m *schema.Memory) bool
	ofClaims      bool // the request names claims
}

// hide forgets the targets and whatever would reveal them: the messages that
// support the claims, other claims with the same words, memories derived from them, what
// agents saved from them in other words, and what repeats them in summaries of entities, in
// core memory and in proposals that wait.
func (w *reading) hide(ctx context.Context, t *targets) error {
	h := &hiding{reading: w, t: t, visited: make(map[int64]bool), parts: make(map[int64]beside)}
	for _, step := range []func(context.Context) error{
		h.readSources, h.hideMessages, h.hideSaved, h.keepClauses, h.hideResting, h.keepParts, h.clearSummaries, h.clearShown,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// forget hides memories, those that are set aside only if quarantined is true.
func (h *hiding) forget(ctx context.Context, quarantined bool, memories ...schema.Memory) error {
	for i := range memories {
		if h.visited[memories[i].ID] {
			continue
		}
		h.visited[memories[i].ID] = true
		m, err := h.tx.Memory(ctx, h.UserID, memories[i].UID)
		if err == nil && (m.State == schema.StateForgotten || m.State == schema.StateQuarantined && !quarantined) {
			continue
		}
		if err == nil {
			err = h.tx.Forget(ctx, m, h.EventTime.Time, h.run.by)
		}
		if err != nil {
			return err
		}
		h.run.did("forget", m)
		h.hidden = append(h.hidden, *m)
	}
	return nil
}

// readSources adds the messages that the claims rest on to the targets, reads what of each message is
// meant, and hides the claims.
func (h *hiding) readSources(ctx context.Context) error {
	t := h.t
	h.ofClaims = len(t.claims) > 0
	for i := range t.claims {
		h.ids = append(h.ids, t.claims[i].ID)
	}
	cited, err := h.in.Known().Cited(ctx, h.ids)
	if err != nil {
		return err
	}
	var sources []int64
	quotes := make(map[int64][]string)
	for _, c := range cited {
		quotes[c.SourceID] = append(quotes[c.SourceID], c.Quote)
		if t.restsOn(&c) {
			sources, h.quotes = append(sources, c.SourceID), append(h.quotes, c.Quote)
		}
	}
	var asked wish
	if t.request != "" {
		asked = wishOf(h.Content)
		if of := wishOf(t.object); t.object != "" && len(of.forget) > 0 {
			asked.wanted, asked.forget, asked.forgetTopics = of.wanted, of.forget, of.forgetTopics
		}
		t.wanted = asked.wanted
	}
	h.readMeant()
	if h.sources, err = h.tx.ByID(ctx, h.UserID, sources); err != nil {
		return err
	}
	t.episodes = append(t.episodes, h.sources...)
	for i := range t.episodes {
		m := &t.episodes[i]
		h.parts[m.ID] = h.beside(t, asked, m, quotes[m.ID])
	}
	return h.forget(ctx, t.quarantined, t.claims...)
}

// hideMessages hides the messages with the answers that repeat them, and reads what was saved from them.
func (h *hiding) hideMessages(ctx context.Context) (err error) {
	for i := range h.t.episodes {
		m := &h.t.episodes[i]
		saved, err := h.tx.SavedFor(ctx, m)
		if err != nil {
			return err
		}
		answers, err := h.tx.Answers(ctx, m)
		if err != nil {
			return err
		}
		answers = slices.DeleteFunc(answers, func(answer schema.Memory) bool { return !h.repeats(&answer, m) })
		if err := h.forget(ctx, h.t.quarantined, append([]schema.Memory{*m}, answers...)...); err != nil {
			return err
		}
		h.ids, h.saved = append(h.ids, m.ID), append(h.saved, saved...)
	}
	h.resting, err = h.tx.Resting(ctx, h.UserID, h.ids)
	return err
}

// repeats reports whether a memory has a word of what of a message does not stay. What answers the
// request names it anyway.
func (h *hiding) repeats(m, message *schema.Memory) bool {
	return message.ID != h.ID && shared(h.parts[message.ID].meant, telling(m.Content)) > 0
}

// hideSaved hides what agents saved that says the same; else, of what was saved from the messages, what
// has a word of what does not stay.
func (h *hiding) hideSaved(ctx context.Context) error {
	same := func(m schema.Memory) bool { return h.meant.restatedBy(&m) }
	exactly := slices.ContainsFunc(slices.Concat(h.saved, h.resting), same)
	h.restates = func(m *schema.Memory) bool {
		return same(*m) || !exactly && isRestated(m) && slices.ContainsFunc(h.t.episodes, func(of schema.Memory) bool { return h.repeats(m, &of) })
	}
	return h.forget(ctx, true, slices.DeleteFunc(h.saved, func(m schema.Memory) bool { return !h.restates(&m) })...)
}

// hideResting hides what rests on the targets and may tell of them, unless it is spared.
func (h *hiding) hideResting(ctx context.Context) error {
	cited, err := citedBy(ctx, h.in.Known(), h.resting)
	if err != nil {
		return err
	}
	for i := range h.resting {
		m := &h.resting[i]
		if m.State == schema.StateForgotten || h.spared(m, cited[m.ID]) || !h.mayTell(m) {
			continue // what was forgotten with it is not meant again
		}
		again, err := h.saidAgain(ctx, cited[m.ID])
		if err == nil {
			err = h.forget(ctx, h.t.quarantined, append([]schema.Memory{*m}, again...)...)
		}
		if err != nil {
			return err
		}
		h.t.claims = append(h.t.claims, *m)
	}
	return nil
}

// mayTell reports whether a memory that rests on the targets may tell of them.
func (h *hiding) mayTell(m *schema.Memory) bool {
	parsed := m.Attributes[schema.AttrSaid]
	return h.t.pointed || m.Kind == schema.KindReflection || h.t.parsed && parsed != "" ||
		isLasting(m) && (!h.ofClaims || !h.meant.leaves(m, h.quotes, h.sources)) || parsed == saidClaim && h.secret.near(m, m.Content) ||
		h.t.tells(m.Content) || h.restates(m)
}

// saidAgain returns the other messages that a claim rests on if one that the request points at
// says nothing else.
func (h *hiding) saidAgain(ctx context.Context, cited []schema.Cited) ([]schema.Memory, error) {
	var sources []int64
	whole := false
	for _, c := range cited {
		sources = append(sources, c.SourceID)
		whole = whole || slices.ContainsFunc(h.t.episodes, func(m schema.Memory) bool {
			return m.ID == c.SourceID && strings.TrimSpace(m.Content) == strings.TrimSpace(c.Quote)
		})
	}
	if !whole || !h.t.pointed {
		return nil, nil
	}
	return h.tx.ByID(ctx, h.UserID, sources)
}

// keepParts stores what stays of the hidden messages.
func (h *hiding) keepParts(ctx context.Context) error {
	resting, err := h.tx.Resting(ctx, h.UserID, h.ids)
	if err != nil {
		return err
	}
	for i := range h.t.episodes {
		m := &h.t.episodes[i]
		if err := h.keepBeside(ctx, m, h.parts[m.ID].stays, resting); err != nil {
			return err
		}
		delete(h.parts, m.ID)
	}
	return nil
}

// clearSummaries deletes the summaries of entities that may repeat what is hidden: of those
// that it mentions, and those that contain its words.
func (h *hiding) clearSummaries(ctx context.Context) error {
	entities, err := h.tx.Summarised(ctx, h.UserID)
	if err != nil || len(entities) == 0 {
		return err
	}
	var ids []int64
	for i := range h.hidden {
		ids = append(ids, h.hidden[i].ID)
	}
	mentioned, err := h.tx.MentionedBy(ctx, ids)
	if err != nil {
		return err
	}
	for i := range entities {
		if slices.Contains(mentioned, entities[i].ID) || h.t.tells(entities[i].Summary) {
			if err := h.tx.ClearSummary(ctx, &entities[i], h.run.by); err != nil {
				return err
			}
		}
	}
	return nil
}

// spared reports whether a claim stays although it rests on what is hidden: a part of a message that
// stays says it, the user has stated it again after the request, it rests on another sentence than the
// one that is meant, or it rests on the
// requesting message alone, and on another part of it than a request: "Scrap the short answers. I'd rather
// have the long version." A sentence that no pattern parses then must not tell of what is forgotten, unless
// it tells a change of it.
func (h *hiding) spared(m *schema.Memory, cited []schema.Cited) bool {
	all := func(is func(c schema.Cited) bool) bool {
		return len(cited) > 0 && !slices.ContainsFunc(cited, func(c schema.Cited) bool { return !is(c) })
	}
	for _, of := range h.parts {
		if slices.ContainsFunc(of.stays, func(s string) bool { return strings.Contains(s, withoutStop(m.Content)) }) {
			return true
		}
	}
	switch {
	case h.t.request != "" && m.Kind != schema.KindReflection && slices.ContainsFunc(cited, func(c schema.Cited) bool { return h.saidSince(&c) }),
		h.t.only != "" && all(func(c schema.Cited) bool { return c.Quote != "" && !overlap(c.Quote, h.t.only) }):
		return true
	case isLasting(m) && !said.TellsChange(m.Content) && (refersBack.MatchString(m.Content) || h.meant.near(m, m.Content)):
		return false
	}
	return all(func(c schema.Cited) bool {
		return c.SourceID == h.ID && c.Quote != "" && !slices.ContainsFunc(h.requests, func(q said.Request) bool { return partOf(q, c.Quote) })
	})
}

// gist is what a text is about.
type gist struct {
	terms  []string
	topics topics.Set
}

func gistOf(s string) gist { return gist{text.QueryTerms(s, 0), topics.Of(s)} }

// like rates what another text has in common with it: 1 for each term, and up to 1 for topics.
func (g gist) like(other gist) float64 {
	return float64(shared(other.terms, g.terms)) + topics.Ask(g.topics, 1).Near(other.topics)
}

// near reports whether two texts have a term in common, or topics of at least a likeness.
func (g gist) near(other gist, least float64) bool {
	return shared(other.terms, g.terms) > 0 || topics.Ask(g.topics, 1).Near(other.topics) >= least
}

// gists are the texts that are to be forgotten.
type gists []gist

// readMeant reads the texts of the claims to be forgotten and their quotes, or else of the
// messages, but not of the request to forget others: of each the sentence and the clause that is most
// like the request, if one is.
func (h *hiding) readMeant() {
	t, texts := h.t, slices.Clone(h.quotes)
	for i := range t.claims {
		m := &t.claims[i]
		texts = append(texts, m.Content)
		best := t.mostLike(m.Content, partEnd.Split(m.Content, -1))
		if clause := ClauseOf(m, m.Content); best == m.Content && clause != "" {
			best = clause
		}
		h.secret = append(h.secret, gistOf(best))
	}
	for i := range t.episodes {
		if m := &t.episodes[i]; len(t.claims) == 0 && (t.itself || m.ID != h.ID) {
			texts = append(texts, m.Content)
			if best := t.mostLike(m.Content, partEnd.Split(m.Content, -1)); best != m.Content {
				h.secret = append(h.secret, gistOf(best))
			}
		}
	}
	for _, whole := range texts {
		h.meant = append(h.meant, gistOf(t.mostLike(whole, said.LastingUnits(whole))))
	}
}

// mostLike returns the part of a text that is most like the request, or the text.
func (t *targets) mostLike(whole string, parts []string) (best string) {
	wanted, best, most := gistOf(t.wanted), whole, 0.0
	for _, part := range parts {
		if like := wanted.like(gistOf(part)); like > most {
			most, best = like, part
		}
	}
	return best
}

// near reports whether what a parsed claim says, in some words, may tell of the texts: "I go to the
// HIV clinic", "I take lithium". Where somebody lives and works, and who is called what, is near
// them only if what it names is.
func (texts gists) near(m *schema.Memory, words string) bool {
	least := leastNearby
	plain := slices.Contains(plainFacts, key(m.Predicate)) || said.OneOfSeveral(m.Predicate)
	if plain {
		words = m.Object
	}
	if plain || m.Protected {
		least = onlyWords
	}
	of := gistOf(words)
	return slices.ContainsFunc(texts, func(held gist) bool { return held.near(of, least) })
}

// onlyWords is a likeness of topics that no texts have.
const onlyWords = 2

// leastNearby is the likeness of topics from which a parsed claim may tell of what is to be forgotten:
// of epilepsy its medicine and its doctor, but not an allergy.
const leastNearby = 0.25

// plainFacts are predicates of what people tell of themselves first.
var plainFacts = strings.Fields("lives_in works_at works_as married_to partner email phone address name age birthday home_town has_pet dog cat")

// leaves reports whether a kept sentence of the messages is of something else, so that it stays:
// it is of its own of the user or asks for something, has no word and nearly no topic in common with
// the texts and does not follow a quote of them, as what explains it does: "I have epilepsy. The
// licence is gone."
func (texts gists) leaves(m *schema.Memory, quotes []string, messages []schema.Memory) bool {
	if !ofItself.MatchString(m.Content) || refersBack.MatchString(m.Content) {
		return false
	}
	for _, quote := range quotes {
		for i := range messages {
			_, rest, said := strings.Cut(messages[i].Content, quote)
			if said && quote != "" && strings.HasPrefix(strings.TrimSpace(rest), m.Content) {
				return false
			}
		}
	}
	of := gistOf(m.Content)
	return !slices.ContainsFunc(texts, func(held gist) bool { return held.near(of, leastAbout) })
}

// leastAbout is the likeness of topics from which a sentence may tell of what is to be forgotten.
const leastAbout = 0.1

// ofItself matches the beginning of a sentence of the user or of a wish, and refersBack words for
// something that another sentence names.
var (
	ofItself   = prefilter.New(`(?i)^(?:(?:hi|hey|hello|also|and|oh|btw|by the way|und|auch|übrigens|y|además|por cierto)[,! ]+)*(?:i|i['’](?:m|ve|d|ll)|my|we|we['’](?:re|ve)|our|please|ich|meine?[nrms]?|wir|unse?re?[nrms]?|bitte|yo|mis?|nuestr[oa]s?|vivo|trabajo|tengo|soy|estoy|somos|tenemos|por favor) `, `^(?:我|我们|请|還|还)`)
	refersBack = prefilter.New(`(?i)\b(?:it|its|this|that|these|those|because|why|then|which|he|she|they|him|her|his|them|their|das|dies\pL*|de[sm]?halb|deswegen|dadurch|da(?:von|ran|gegen|mit|für|rum)|er|sie|ihn|ihm|ihr\pL*|seine?[nrms]?)\b`,
		`(?i)(?:^|[^\pL])(?:es[oae]|est[oae]|ello|él|ella|ellos|sus?|l[oa]s?|les?)(?:[^\pL]|$)`, `[他她它这那]|所以|因此|因为`)
)

// keepClauses stores what a sentence that is to be forgotten states beside that, with the clause
// that states it: of "I live in Porto, I have epilepsy and I'm vegetarian" the first and the last.
func (h *hiding) keepClauses(ctx context.Context) error {
	t := h.t
	if t.pointed || t.itself || !h.ofClaims {
		return nil
	}
	for i := range h.resting {
		m, tells := &h.resting[i], t.tells
		if at := slices.IndexFunc(t.claims, func(c schema.Memory) bool { return c.ID == m.ID }); at >= 0 {
			if m = &t.claims[at]; !t.byWords {
				continue
			}
			tells = func(s string) bool { return t.holds(&schema.Memory{Content: s}) } // the object is its own
		}
		if m.Attributes[schema.AttrSaid] != saidClaim || !isCurrent(m) || m.Predicate == "" || !tells(m.Content) {
			continue
		}
		clause := ClauseOf(m, m.Content)
		if tells(clause) || refersBack.MatchString(clause) || h.secret.near(m, clause) {
			continue
		}
		at := slices.IndexFunc(h.sources, func(from schema.Memory) bool { return clause != "" && strings.Contains(from.Content, clause) })
		if at < 0 {
			continue
		}
		kept := &schema.Memory{
			UserID: m.UserID, SessionID: m.SessionID, SessionName: m.SessionName, Agent: m.Agent, Kind: m.Kind, Content: clause,
			Subject: m.Subject, Predicate: m.Predicate, Object: m.Object, Origin: m.Origin, Trust: m.Trust, EventTime: m.EventTime, ValidFrom: m.ValidFrom,
			DecayRate: m.DecayRate, Confidence: m.Confidence, Importance: m.Importance, Stability: m.Stability, Utility: m.Utility,
			Attributes: maps.Clone(m.Attributes), Tags: m.Tags,
		}
		if err := h.tx.AddDerived(ctx, kept, schema.PrepareChunks(clause, ""), map[int64]string{h.sources[at].ID: clause}, h.run.by); err != nil {
			return err
		}
		h.run.did("add_"+string(kept.Kind), kept)
		if m.Protected {
			if err := h.protect(ctx, kept); err != nil {
				return err
			}
		}
	}
	return nil
}

// leastRestated is the share of its terms that a memory has in common with a text if it says the
// same in other words.
const leastRestated = 0.3

// isRestated reports whether an agent saved a memory: the user did not ask to keep it, and neither is
// it parsed from a message nor stated by the host.
func isRestated(m *schema.Memory) bool {
	return !m.Protected && m.Attributes[schema.AttrSaid] == "" && m.Attributes[schema.AttrTemporal] != ""
}

// restatedBy reports whether a memory that an agent saved says the same as one of the texts.
func (texts gists) restatedBy(m *schema.Memory) bool {
	terms := text.QueryTerms(m.Content, 0)
	return isRestated(m) && slices.ContainsFunc(texts, func(held gist) bool {
		n := shared(terms, held.terms)
		return n > 0 && float64(n) >= leastRestated*float64(len(terms))
	})
}

// partOf reports whether a quote of a message belongs to a request of it. The sentence
// of a loose request is the whole message: what asks more than the rest belongs to it.
func partOf(q said.Request, quote string) bool {
	if !q.Loose || !strings.Contains(q.Sentence, quote) {
		return overlap(q.Sentence, quote)
	}
	rest := strings.TrimSpace(strings.Replace(q.Sentence, quote, " ", 1))
	return rest == "" || intent.Forget.P(quote) >= intent.Forget.P(rest)
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
