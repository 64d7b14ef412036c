package claims

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// Weights of what speaks for a memory as the object of a request: the share of its words,
// 0–1, the similarity of topics, 0–1, the log-odds that the memory is of the kind that
// people want forgotten ([intent.Confided]), which tell less the larger the memory is, how
// likely it is to last, 0–1, whether it says that it is a secret, and ln of one more
// than the number of later memories. None of n memories is meant with the score noneScore +
// noneGrowth·ln n. Fitted as a conditional logit to 700 requests by seven authors in memories
// of twelve statements, and 270 by two others in fourteen lives of a year, secretWeight to 191
// in 38 lives: what is meant is among the first three of a year for 128 with it and 114 without,
// in nine lives not fitted to for 30 and 27 of 50.
const (
	shareWeight    = 4.11
	topicWeight    = 4.66
	confidedWeight = 1.11
	confidedFalls  = 0.50 // with ln of the memory's size over usualSize
	lastingWeight  = 1.84
	secretWeight   = 2.0
	agePenalty     = 0.31
	noneScore      = 0.63
	noneGrowth     = 0.62
	usualSize      = 30
	leastFitted    = 12    // n of smaller memories, which the fit has not seen
	mostFitted     = 150   // n of larger ones
	rivals         = 10    // memories that share the probability with it
	mostPrivate    = 0.999 // what [intent.Confided] says of it is at most so sure, and likewise not less than its complement
	timePenalty    = 2.0   // for what was said outside of a time that the request names
	mostNamed      = 50    // statements among which words, or a secret that is not the likeliest, may be meant
	leastRelated   = 0.1   // share of the request's words and similarity of topics, together, that it must have
)

// Thresholds and weights for loose requests, each 0–1.
const (
	surely       = 1.5  // exponent of the probability that a word says what is meant
	topicShare   = 0.5  // of topics relative to words
	inConfidence = 0.3  // of what was said in confidence: it is what people want forgotten
	unknownShare = 0.3  // weight of a word in no memory, relative to one in a single memory
	surelyNamed  = 0.95 // rating of what holds nearly all of them, or most and is secret or of the same topics
)

// likeliest selects the claim or message that a loosely worded request most likely means, if it is likely
// enough for the words that it holds, see [enough]. A request that refers back without naming anything means
// the preceding exchange.
func (w *reading) likeliest(ctx context.Context, q said.Request, found []schema.Memory) (t targets, err error) {
	x, err := w.mayMean(ctx, &q, found, nil)
	if err != nil {
		return t, err
	}
	t.terms = x.terms
	best, sure := x.meant()
	if q.Back && best.words < surelyNamed {
		t.episodes, err = w.previous(ctx)
		t.pointed, t.whole = len(t.episodes) > 0, true
		return t, err
	}
	if sure {
		m := &x.memories[best.best]
		t.add(m)
		t.certain, t.pointed = true, m.Kind == schema.KindEpisode || isLasting(m)
	}
	return t, nil
}

// enough reports whether the likeliest of n statements is meant, by its probability and the share of the
// request's words, weighted, that it holds. Among few, words tell more, and a secret needs only to be related.
func (s *statement) enough(n int) bool {
	switch {
	case s.p >= 0.85:
		return true
	case s.p >= 0.5:
		return s.share >= 0.45
	}
	return s.secret && (s.share > 0 || s.named >= 0.3) || n <= mostNamed && s.share >= 0.6 && (s.p >= 0.3 || s.words >= surelyNamed)
}

// mayMean returns the memories that a request may mean: the claims, what was found for it,
// the messages before it and those of the times it names. If one is chosen, it stands
// alone for all that was said at its time.
func (w *reading) mayMean(ctx context.Context, q *said.Request, found []schema.Memory, chosen *schema.Memory) (*index, error) {
	now, err := w.local(ctx)
	if err != nil {
		return nil, err
	}
	when := slices.DeleteFunc(text.TimeSpans(w.Content, now), func(t text.TimeSpan) bool { return !t.Start.Before(now.AddDate(0, 0, -1)) })
	all, err := w.claimed(ctx)
	if err != nil {
		return nil, err
	}
	earlier, err := w.in.Known().Before(ctx, w.Memory, loosely)
	if err != nil {
		return nil, err
	}
	for _, span := range when {
		then, err := w.in.Known().Between(ctx, w.UserID, span.Start, span.End, mostBetween)
		if err != nil {
			return nil, err
		}
		earlier = append(earlier, then...)
	}
	said, err := w.withoutOthers(ctx, slices.Concat(found, earlier))
	if err != nil {
		return nil, err
	}
	memories := w.candidates(unkept(append(all, said...)))
	if chosen != nil {
		memories = slices.DeleteFunc(memories, func(m schema.Memory) bool { return m.ID != chosen.ID && m.EventTime.Equal(chosen.EventTime.Time) })
	}
	if about := topics.Of(q.Object()).Names(); slices.Contains(about, "style") && intent.Manner.P(w.Content) >= LeastManner {
		memories = slices.DeleteFunc(memories, func(m schema.Memory) bool { // it takes a wish back
			return m.Attributes[schema.AttrSaid] != SaidWish && intent.Manner.P(m.Content) < LeastManner
		})
	}
	weights := make(map[string]float64)
	for _, term := range naming(q, now) {
		if isHan(term) && strings.ContainsAny(term, common) && len(q.Terms) > 2 {
			continue // most such pairs of characters are no words
		}
		if weights[term] = 1; q.Terms != nil {
			weights[term] = math.Pow(q.Terms[term], surely)
		}
	}
	close, err := peopleOf(ctx, w.in.Query, w.UserID, Stored(speaker, w.owner.User, w.Speaker))
	if err != nil {
		return nil, err
	}
	x := indexOf(weights, memories, close)
	x.request, x.object, x.when = w.Content, q.Object(), when
	return x, nil
}

// MostOffered is how many memories that a request most likely means a model may choose from. Of 121
// requests in 16 lives of half a year that their words alone do not carry out, what is meant is among
// the likeliest 10 for 79, 28 for 93, 48 for 99 and 100 for 108.
const MostOffered = 48

// Probability, and its least share of that of the likeliest memory, from which a request may
// mean a memory that a model has chosen for it: they take 98 of those 99, .003 and .03 take 90.
const (
	leastChosen   = 0.002
	leastOfLikely = 0.005
)

// concerns reports whether a request may mean a memory that a model has chosen: its words
// name it, it is likely enough, or the request points at the message that says it. One in free
// words does not mean what it says itself.
func (w *reading) concerns(ctx context.Context, q *said.Request, m *schema.Memory, found []schema.Memory) (bool, error) {
	if m.ID == w.ID || q.Loose && m.EventTime.Equal(w.EventTime.Time) {
		return false, nil
	}
	if own, err := w.withoutOthers(ctx, []schema.Memory{*m}); err != nil || len(own) == 0 {
		return false, err
	}
	object := q.Object()
	if slices.ContainsFunc(append(namesIn(object), object), func(part string) bool { return part != "" && Names(part, m, w.owner.User) }) {
		return true, nil
	}
	if q.Back {
		said, err := w.previous(ctx)
		if err != nil || slices.ContainsFunc(said, func(p schema.Memory) bool { return p.ID == m.ID || p.EventTime.Equal(m.EventTime.Time) }) {
			return err == nil, err
		}
	}
	x, err := w.mayMean(ctx, q, append(found, *m), m)
	if err != nil {
		return false, err
	}
	ranked := x.ranked()
	return slices.ContainsFunc(ranked, func(s statement) bool {
		return s.p >= max(leastChosen, leastOfLikely*ranked[0].p) && slices.ContainsFunc(s.places, func(i int) bool { return x.memories[i].ID == m.ID })
	}), nil
}

// Likeliest returns what a message's requests to forget most likely mean, the likeliest first,
// at most [MostOffered], for a model to choose from.
//
// Errors: those of the database and of Find.
func (r *Reader) Likeliest(ctx context.Context, owner schema.Scope, m *schema.Memory) (likeliest []schema.Memory, err error) {
	for _, q := range ToForget(m.Content) {
		found, err := r.find(ctx, owner, &q)
		if err != nil {
			return nil, err
		}
		err = r.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			w := &reading{r: r, Message: &Message{Memory: m, owner: owner}, in: s}
			x, err := w.mayMean(ctx, &q, found, nil)
			if err != nil {
				return err
			}
			ranked := x.ranked()
			for i := range ranked[:min(MostOffered-len(likeliest), len(ranked))] {
				m, err := w.whole(ctx, x, &ranked[i])
				if err != nil {
					return err
				}
				likeliest = append(likeliest, *m)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return likeliest, nil
}

// whole returns the nearest memory of a statement or, if that is a part of a message that is not long, the
// message: "He is going to be my ruin" alone does not show a model which secret it belongs to.
func (w *reading) whole(ctx context.Context, x *index, s *statement) (*schema.Memory, error) {
	best := &x.memories[s.best]
	messages, err := w.in.Known().Between(ctx, w.UserID, s.at, s.at.Add(time.Millisecond), 1)
	if err == nil {
		messages, err = w.withoutOthers(ctx, messages)
	}
	if err != nil || len(messages) == 0 {
		return best, err
	}
	if m := &messages[0]; Own(m) && len(m.Content) <= mostWhole && strings.Contains(m.Content, withoutStop(best.Content)) {
		return m, nil
	}
	return best, nil
}

// mostWhole is the maximum length, in bytes, of a message that is offered whole.
const mostWhole = 500

// local returns the time of the message in the user's time zone.
func (w *reading) local(ctx context.Context) (time.Time, error) {
	usual := time.UTC
	if w.r != nil && w.r.Location != nil {
		usual = w.r.Location
	}
	zone, err := schema.Zone(ctx, w.in, w.UserID, usual)
	if err != nil {
		return w.EventTime.Time, err
	}
	return w.EventTime.In(zone), nil
}

// candidates returns the memories that a request may mean without naming them: the
// user's own that state something, and none that the user asked to keep or that is set aside.
func (w *reading) candidates(memories []schema.Memory) []schema.Memory {
	return slices.DeleteFunc(memories, func(m schema.Memory) bool {
		return m.ID == w.ID || m.Kind != schema.KindEpisode && m.EventTime.Equal(w.EventTime.Time) || m.Protected ||
			m.State == schema.StateForgotten || m.State == schema.StateQuarantined || m.Kind == schema.KindEpisode && (!Own(&m) || said.OnlyAsks(m.Content))
	})
}

// unkept leaves out the messages that said what the user asked to keep.
func unkept(memories []schema.Memory) []schema.Memory {
	kept := make(map[schema.Time]bool)
	for i := range memories {
		if m := &memories[i]; m.Protected {
			kept[m.EventTime] = true
		}
	}
	return slices.DeleteFunc(memories, func(m schema.Memory) bool { return kept[m.EventTime] })
}

// confidedWords matches what is said in confidence.
var confidedWords = prefilter.New(`(?i)\b(?:between (?:you and me|us|ourselves)|(?:nobody|no[ -]one|no body) (?:else )?(?:knows|is to know|can know|must know|but you)|(?:not|haven'?t|never|didn'?t|can'?t|couldn'?t|don'?t|won'?t) (?:\pL+ ){0,2}?(?:tell|told|tellin|telling|say|said) (?:it )?(?:to )?(?:no ?one|nobody|any ?one|anybody|a soul)|(?:don'?t|do not|please don'?t|can'?t|dont|cant) tell|keep (?:it|this|that) (?:quiet|to yourself|between|under)|(?:can'?t|cant|must ?n'?t|doesn'?t|don'?t|dont|doesnt|has no|have no|no) (?:know|clue|idea)|secret(?:ly)?|shh+|hush|confess|confession|embarrass\pL*|ashamed|private|behind \pL+(?:'?s)? backs?|off the record|in confidence|don'?t laugh|dont judge|my eyes only)\b|` +
	`\b(?:unter uns|im vertrauen|vertraulich|geheim\pL*|heimlich|beicht\pL*|peinlich|schäm\pL*|(?:wei(?:ß|ss)|wissen) (?:\pL+ ){0,2}?(?:keiner|niemand|nix|nichts|koaner)|(?:keiner|niemand|koaner) (?:\pL+ ){0,2}?(?:weiß|weiss|wissen|erfahren)|(?:sag|erzähl|verrat)\pL* (?:\pL+ ){0,3}?(?:keinem|niemand\pL*|nicht|nich|net|nix)|bleibt unter|psst+|lach (?:jetzt )?nicht)\b|` +
	`(?:^|[^\pL])(?:entre (?:nosotros|nos|tú y yo|tu y yo)|(?:no lo|nadie lo|no lo) sabe(?: nadie)?|nadie (?:lo )?(?:sabe|puede|debe)|no se lo (?:dije|digas|he dicho|conté|cuentes)|no (?:lo )?(?:digas|cuentes)|secreto|en secreto|a escondidas|confes\pL*|vergüenza|que quede (?:aquí|aca|acá|entre)|quede entre|no te rías|no me juzgues|sin que (?:lo )?(?:sepa|sepan))(?:[^\pL]|$)|` +
	`(?:别|不要|莫|甭)(?:跟|告诉|和|给)|别(?:人|说出去|外传|笑)|(?:没|沒)(?:人|有人)(?:知道|晓得)|谁(?:也|都)(?:不|没)|秘密|偷偷|瞒着|瞞著|保密|悄悄|私下|不敢(?:跟|告诉|说)|丢人|丟人|坦白|其实我|就(?:你|咱俩)知道`)

// loosely is how many preceding messages a loose request is compared with, in
// addition to the claims.
const loosely = 100

// mostBetween is how many messages said at a time that the request names.
const mostBetween = 500
