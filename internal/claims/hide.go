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

// hide forgets the targets and whatever would reveal them: the messages that
// support the claims, other claims with the same words, memories derived from them, what
// agents saved from them in other words, and what repeats them in summaries of entities, in
// core memory and in proposals that wait.
func (w *reading) hide(ctx context.Context, t *targets) error {
	hidden := make(map[int64]bool)
	one := func(m *schema.Memory, quarantined bool) error {
		if hidden[m.ID] {
			return nil
		}
		hidden[m.ID] = true
		fresh, err := w.tx.Memory(ctx, w.UserID, m.UID)
		if err != nil || fresh.State == schema.StateForgotten || fresh.State == schema.StateQuarantined && !quarantined {
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
	var quotes []string
	for _, c := range cited {
		if t.restsOn(&c) {
			sources, quotes = append(sources, c.SourceID), append(quotes, c.Quote)
		}
	}
	var asked wish
	if t.request != "" {
		asked = wishOf(w.Content)
		if of := wishOf(t.object); t.object != "" && len(of.forget) > 0 {
			asked.wanted, asked.forget, asked.forgetTopics = of.wanted, of.forget, of.forgetTopics
		}
		t.wanted = asked.wanted
	}
	meant, secret := w.texts(t, quotes), w.clauses(t)
	behind, err := w.tx.ByID(ctx, w.UserID, sources)
	if err != nil {
		return err
	}
	t.episodes = append(t.episodes, behind...)
	rest := make(map[int64]beside)
	for i := range t.episodes {
		var of []string
		for _, c := range cited {
			if c.SourceID == t.episodes[i].ID {
				of = append(of, c.Quote)
			}
		}
		rest[t.episodes[i].ID] = w.beside(t, asked, &t.episodes[i], of)
	}
	for i := range t.claims {
		if err := one(&t.claims[i], t.quarantined); err != nil {
			return err
		}
	}
	var saved []schema.Memory
	for i := range t.episodes {
		message := &t.episodes[i]
		if err := one(message, t.quarantined); err != nil {
			return err
		}
		ids = append(ids, message.ID)
		of, err := w.tx.SavedFor(ctx, message)
		if err != nil {
			return err
		}
		saved = append(saved, of...)
		answers, err := w.tx.Answers(ctx, message)
		if err != nil {
			return err
		}
		for i := range answers {
			if message.ID != w.ID && shared(rest[message.ID].meant, telling(answers[i].Content)) > 0 {
				if err := one(&answers[i], t.quarantined); err != nil {
					return err
				}
			}
		}
	}
	resting, err := w.tx.Resting(ctx, w.UserID, ids)
	if err != nil {
		return err
	}
	// what says the same; else, of what was saved from the messages, what has a word of what does not stay
	exactly := slices.ContainsFunc(slices.Concat(saved, resting), func(m schema.Memory) bool { return meant.restatedBy(&m) })
	restated := func(m *schema.Memory) bool {
		return meant.restatedBy(m) || !exactly && isRestated(m) && slices.ContainsFunc(t.episodes, func(of schema.Memory) bool {
			return of.ID != w.ID && shared(rest[of.ID].meant, telling(m.Content)) > 0
		})
	}
	for i := range saved {
		if restated(&saved[i]) {
			if err := one(&saved[i], true); err != nil {
				return err
			}
		}
	}
	if err := w.keepClauses(ctx, t, secret, behind, resting); err != nil {
		return err
	}
	named := len(t.claims) > 0
	for i := range resting {
		m := &resting[i]
		if m.State == schema.StateForgotten {
			continue // what was forgotten with it is not meant again
		}
		spared, err := w.spared(ctx, t, m, meant)
		if err != nil {
			return err
		}
		for _, of := range rest {
			spared = spared || slices.ContainsFunc(of.stays, func(s string) bool { return strings.Contains(s, withoutStop(m.Content)) })
		}
		parsed := isLasting(m) && !(named && meant.leaves(m, quotes, behind)) || m.Attributes[schema.AttrSaid] == saidClaim && secret.near(m, m.Content) || t.parsed && m.Attributes[schema.AttrSaid] != ""
		if !spared && (t.pointed || m.Kind == schema.KindReflection || parsed || t.tells(m.Content) || restated(m)) {
			if err := one(m, t.quarantined); err != nil {
				return err
			}
			t.claims = append(t.claims, *m)
			again, err := w.saidAgain(ctx, m, t)
			if err != nil {
				return err
			}
			for i := range again {
				if err := one(&again[i], t.quarantined); err != nil {
					return err
				}
			}
		}
	}
	if resting, err = w.tx.Resting(ctx, w.UserID, ids); err != nil {
		return err
	}
	for i := range t.episodes {
		if err := w.keepBeside(ctx, &t.episodes[i], rest[t.episodes[i].ID].stays, resting); err != nil {
			return err
		}
		delete(rest, t.episodes[i].ID)
	}
	if err := w.clearSummaries(ctx, t); err != nil {
		return err
	}
	return w.clearShown(ctx, t)
}

// saidAgain returns the other messages that a claim rests on if one that the request points at
// says nothing else.
func (w *reading) saidAgain(ctx context.Context, claim *schema.Memory, t *targets) ([]schema.Memory, error) {
	if !t.pointed {
		return nil, nil
	}
	cited, err := w.tx.Cited(ctx, []int64{claim.ID})
	if err != nil {
		return nil, err
	}
	var sources []int64
	whole := false
	for _, c := range cited {
		sources = append(sources, c.SourceID)
		whole = whole || slices.ContainsFunc(t.episodes, func(m schema.Memory) bool {
			return m.ID == c.SourceID && strings.TrimSpace(m.Content) == strings.TrimSpace(c.Quote)
		})
	}
	if !whole {
		return nil, nil
	}
	return w.tx.ByID(ctx, w.UserID, sources)
}

// clearSummaries deletes the summaries of entities that may repeat what is hidden: of those
// that it mentions, and those that contain its words.
func (w *reading) clearSummaries(ctx context.Context, t *targets) error {
	entities, err := w.tx.Summarised(ctx, w.UserID)
	if err != nil || len(entities) == 0 {
		return err
	}
	ids := make([]int64, len(w.hidden))
	for i := range w.hidden {
		ids[i] = w.hidden[i].ID
	}
	mentioned, err := w.tx.MentionedBy(ctx, ids)
	if err != nil {
		return err
	}
	for i := range entities {
		if slices.Contains(mentioned, entities[i].ID) || t.tells(entities[i].Summary) {
			if err := w.tx.ClearSummary(ctx, &entities[i], w.run.by); err != nil {
				return err
			}
		}
	}
	return nil
}

// spared reports whether a claim stays although it rests on what is hidden: the user has stated it
// again after the request, it rests on another sentence than the one that is meant, or it rests on the
// requesting message alone, and on another part of it than a request: "Scrap the short answers. I'd rather
// have the long version." A sentence that no pattern parses then must not tell of what is forgotten, unless
// it tells a change of it.
func (w *reading) spared(ctx context.Context, t *targets, m *schema.Memory, meant meantTexts) (bool, error) {
	cited, err := w.tx.Cited(ctx, []int64{m.ID})
	if t.request != "" && m.Kind != schema.KindReflection && slices.ContainsFunc(cited, func(c schema.Cited) bool { return w.saidSince(&c) }) {
		return true, err
	}
	if t.only != "" && err == nil && len(cited) > 0 && !slices.ContainsFunc(cited, func(c schema.Cited) bool { return c.Quote == "" || overlap(c.Quote, t.only) }) {
		return true, nil
	}
	if isLasting(m) && !said.TellsChange(m.Content) && (refersBack.MatchString(m.Content) || meant.near(m, m.Content)) {
		return false, err
	}
	return err == nil && len(cited) > 0 && !slices.ContainsFunc(cited, func(c schema.Cited) bool {
		return c.SourceID != w.ID || c.Quote == "" || slices.ContainsFunc(w.requests, func(q said.Request) bool { return partOf(q, c.Quote) })
	}), err
}

// meantTexts are the texts that are to be forgotten.
type meantTexts []meantText

type meantText struct {
	terms []string
	about topics.Set
}

// texts returns the terms of the claims to be forgotten and of their quotes, or else of the
// messages: of each the sentence that is most like the request, if one is.
func (w *reading) texts(t *targets, quotes []string) (texts meantTexts) {
	all := quotes
	for i := range t.claims {
		all = append(all, t.claims[i].Content)
	}
	for _, whole := range append(all, w.messages(t)...) {
		texts = append(texts, meantBy(t.mostLike(whole, said.LastingUnits(whole))))
	}
	return texts
}

// clauses returns the same of the clauses alone that state what is to be forgotten.
func (w *reading) clauses(t *targets) (texts meantTexts) {
	for i := range t.claims {
		m := &t.claims[i]
		best := t.mostLike(m.Content, partEnd.Split(m.Content, -1))
		if clause := ClauseOf(m, m.Content); best == m.Content && clause != "" {
			best = clause
		}
		texts = append(texts, meantBy(best))
	}
	for _, whole := range w.messages(t) {
		if best := t.mostLike(whole, partEnd.Split(whole, -1)); best != whole {
			texts = append(texts, meantBy(best))
		}
	}
	return texts
}

// messages returns the messages to be forgotten if no claim is, but not the request to forget others.
func (w *reading) messages(t *targets) (all []string) {
	for i := range t.episodes {
		if len(t.claims) == 0 && (t.itself || t.episodes[i].ID != w.ID) {
			all = append(all, t.episodes[i].Content)
		}
	}
	return all
}

// mostLike returns the part of a text that is most like the request, or the text.
func (t *targets) mostLike(whole string, parts []string) (best string) {
	about, terms := topics.Ask(topics.Of(t.wanted), 1), text.QueryTerms(t.wanted, 0)
	best = whole
	most := 0.0
	for _, part := range parts {
		if near := about.Near(topics.Of(part)) + float64(shared(text.QueryTerms(part, 0), terms)); near > most {
			most, best = near, part
		}
	}
	return best
}

func meantBy(s string) meantText { return meantText{text.QueryTerms(s, 0), topics.Of(s)} }

// near reports whether what a parsed claim says, in some words, may tell of the texts: "I go to the
// HIV clinic", "I take lithium". Where somebody lives and works, and who is called what, is near
// them only if what it names is.
func (texts meantTexts) near(m *schema.Memory, words string) bool {
	plain := slices.Contains(plainFacts, key(m.Predicate)) || said.OneOfSeveral(m.Predicate)
	if plain {
		words = m.Object
	}
	about, terms := topics.Of(words), text.QueryTerms(words, 0)
	return slices.ContainsFunc(texts, func(held meantText) bool {
		return !plain && !m.Protected && topics.Ask(held.about, 1).Near(about) >= leastNearby || slices.ContainsFunc(terms, func(term string) bool { return slices.Contains(held.terms, term) })
	})
}

// leastNearby is the likeness of topics from which a parsed claim may tell of what is to be forgotten:
// of epilepsy its medicine and its doctor, but not an allergy.
const leastNearby = 0.25

// plainFacts are predicates of what people tell of themselves first.
var plainFacts = strings.Fields("lives_in works_at works_as married_to partner email phone address name age birthday home_town has_pet dog cat")

// leaves reports whether a kept sentence of the messages is of something else, so that it stays:
// it is of its own of the user or asks for something, has no word and nearly no topic in common with
// the texts and does not follow a quote of them, as what explains it does: "I have epilepsy. The
// licence is gone."
func (texts meantTexts) leaves(m *schema.Memory, quotes []string, messages []schema.Memory) bool {
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
	about, terms := topics.Of(m.Content), text.QueryTerms(m.Content, 0)
	return !slices.ContainsFunc(texts, func(held meantText) bool {
		return topics.Ask(held.about, 1).Near(about) >= leastAbout || slices.ContainsFunc(terms, func(term string) bool { return slices.Contains(held.terms, term) })
	})
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
func (w *reading) keepClauses(ctx context.Context, t *targets, secret meantTexts, messages, resting []schema.Memory) error {
	if t.pointed || t.itself || len(t.claims) == 0 {
		return nil
	}
	for i := range resting {
		m, tells := &resting[i], t.tells
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
		if tells(clause) || refersBack.MatchString(clause) || secret.near(m, clause) {
			continue
		}
		at := slices.IndexFunc(messages, func(from schema.Memory) bool { return clause != "" && strings.Contains(from.Content, clause) })
		if at < 0 {
			continue
		}
		kept := &schema.Memory{
			UserID: m.UserID, SessionID: m.SessionID, SessionName: m.SessionName, Agent: m.Agent, Kind: m.Kind, Content: clause,
			Subject: m.Subject, Predicate: m.Predicate, Object: m.Object, Origin: m.Origin, Trust: m.Trust, EventTime: m.EventTime, ValidFrom: m.ValidFrom,
			DecayRate: m.DecayRate, Confidence: m.Confidence, Importance: m.Importance, Stability: m.Stability, Utility: m.Utility,
			Attributes: maps.Clone(m.Attributes), Tags: m.Tags,
		}
		if err := w.tx.AddDerived(ctx, kept, schema.PrepareChunks(clause, ""), map[int64]string{messages[at].ID: clause}, w.run.by); err != nil {
			return err
		}
		w.run.did("add_"+string(kept.Kind), kept)
		if m.Protected {
			if err := w.protect(ctx, kept); err != nil {
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
func (texts meantTexts) restatedBy(m *schema.Memory) bool {
	if !isRestated(m) {
		return false
	}
	terms := text.QueryTerms(m.Content, 0)
	return slices.ContainsFunc(texts, func(held meantText) bool {
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
