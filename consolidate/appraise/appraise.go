// Package appraise rates how important a new message is beside what is remembered
// already, by four channels (cognitive-v9.md): novelty, arousal, reward and attention.
// It asks no model.
package appraise

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/internal/emotion"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Appraisal is what a message is appraised by.
type Appraisal struct {
	Memory *schema.Memory
	// Near are the memories before it that are most like it.
	Near []Near
	// Session are the last messages of its session before it, the newest first.
	Session []schema.Memory
}

// Near is a memory and its similarity to the one appraised, 0–1: the cosine of their
// terms.
type Near struct {
	Memory     *schema.Memory
	Similarity float64
}

// A Func returns the importance of a message, 0–1; NaN leaves it to its words. It must be safe for concurrent use
// and a function of its argument alone.
type Func func(Appraisal) float64

// The weights of the channels, and what a correction is multiplied by.
const (
	Novelty    = 0.25
	Arousal    = 0.30
	Reward     = 0.25
	Attention  = 0.20
	correction = 1.3
)

// likeIt is the similarity from which a neighbour's utility says what a message may be
// worth.
const likeIt = 0.5

// Channels are the four channels of an appraisal, 0–1, and the boost.
type Channels struct{ Novelty, Arousal, Reward, Attention, Boost float64 }

// ChannelsOf returns the channels of an appraisal.
func ChannelsOf(a Appraisal) Channels {
	c := Channels{Novelty: 1, Arousal: emotion.Of(a.Memory.Content).Arousal, Reward: 0.5, Boost: 1}
	rewarded, sum := 0, 0.0
	for _, n := range a.Near {
		c.Novelty = min(c.Novelty, 1-n.Similarity)
		if n.Similarity >= likeIt {
			rewarded++
			sum += n.Memory.Utility
		}
	}
	if rewarded > 0 {
		c.Reward = sum / float64(rewarded)
	}
	context := ""
	for i := range a.Session {
		context += " " + a.Session[i].Content
	}
	sets := text.TermSets([]string{a.Memory.Content, context})
	c.Attention = sets[0].Cosine(sets[1])
	if Corrects(a.Memory.Content) {
		c.Boost = correction
	}
	return c
}

// String lists the channels for people: "novelty 0.87, arousal 0.20, reward 0.50,
// attention 0.13: normal", with the boost if there is one, and the level of the sum.
func (c Channels) String() string {
	s := fmt.Sprintf("novelty %.2f, arousal %.2f, reward %.2f, attention %.2f", c.Novelty, c.Arousal, c.Reward, c.Attention)
	if c.Boost != 1 {
		s += fmt.Sprintf(", times %.1f", c.Boost)
	}
	return s + ": " + LevelOf(c.Importance())
}

// LevelOf returns the document's name for an importance: critical from .8, high from .6,
// normal from .4, or low.
func LevelOf(importance float64) string {
	switch {
	case importance >= 0.8:
		return "critical"
	case importance >= 0.6:
		return "high"
	case importance >= 0.4:
		return "normal"
	}
	return "low"
}

// Corrects reports whether a message corrects something, by its words in English and Turkish:
// "that's wrong", "actually, …", "it's 45, not 40". A question and a condition do not.
func Corrects(message string) bool {
	for _, sentence := range text.Sentences(message) {
		sentence = text.Fold(sentence)
		if corrects.MatchString(sentence) && !supposes.MatchString(sentence) {
			return true
		}
	}
	return false
}

// Denies reports whether a message begins with a no and goes on: "No, the painter charges 45".
// Whether that corrects something depends on what it answers.
func Denies(message string) bool {
	for _, sentence := range text.Sentences(message) {
		sentence = text.Fold(sentence)
		return denies.MatchString(sentence) && !declines.MatchString(sentence)
	}
	return false
}

var (
	corrects = regexp.MustCompile(
		// at the beginning, behind a no
		`^(?:(?:no|nope|hm+|oh|ah|sorry|wait|well|hay[iı]r|yok)[,.! ]+)*(?:(?:wrong|incorrect|not (?:quite|right|correct|true)|yanl[iı]s|oyle degil|tam degil|dogrusu)(?:[,.!:;–—-]|$)|(?:correction|actually|asl[iı]nda|duzeltme|duzelteyim|dogrusu)[,.!: ])` +
			// what was said is wrong
			`|(?:^|[^\pL])(?:that|this|it|you|(?:your|the) (?:answer|number|figure|date|name|price|address|information|info))(?:'s|'re| is| was| are| were)?(?: (?:just|still|quite|all|simply|completely|totally|actually|both))* (?:wrong|incorrect|mistaken|false|outdated|out of date|not (?:quite )?(?:right|correct|true|so)|no longer (?:true|right|correct|so))(?:[^\pL]|$)` +
			`|(?:^|[^\pL])(?:isn't|wasn't|aren't)(?: quite)? (?:right|correct|true)(?:[^\pL]|$)|(?:^|[^\pL])(?:you got|got) (?:that|it|this|the \pL+) wrong` +
			`|(?:^|[^\pL])i meant(?:[^\pL]|$)|(?:^|[^\pL])no longer(?:[^\pL]|$)` +
			// what it should be
			`|(?:^|[^\pL])(?:it|that|this) should (?:be|have been|say|read|'ve been)(?:[^\pL]|$)|(?:^|[^\pL])(?:it|that|this)(?:'s| is| was) [^.!?,]{1,60}, not [^.!?]` +
			`|(?:^|[^\pL])(?:bu|bu bilgi|cevab[iı]n|soyledigin|dedigin)(?: \pL+)? (?:yanl[iı]s|dogru degil)|yanl[iı]s (?:soyledin|bilgi|hatirliyorsun)|(?:^|[^\pL])(?:demek istedim|oyle degil|dogru degil)(?:[^\pL]|$)|, \S+ degil[.! ]*$`)
	// supposes matches what only asks about an error, or names one that is none of the answer's.
	supposes = regexp.MustCompile(`\?\s*$|(?:^|[^\pL])(?:if|whether|unless|nothing|eger)(?:[^\pL]|$)|wrong (?:to|with|of|for|side|way|number|turn)(?:[^\pL]|$)|should be (?:fine|ok|okay|good|great|enough|easy|possible|nice|safe|ready|done|back|there|here|open)(?:[^\pL]|$)`)
	denies   = regexp.MustCompile(`^(?:no|nope|nah|hay[iı]r|yok)\s?[,:;–—-]\s*\S+\s+\S`)
	declines = regexp.MustCompile(`^\pL+\s?[,:;–—-]\s*(?:thanks|thank you|thx|problem|worries|need|matter|idea|rush|hurry|more|not (?:now|yet|today)|tesekkur|sag ol|gerek|simdi degil|sorun degil)|\?\s*$`)
)

// Importance is the weighted sum of the channels times the boost, 0–1.
func (c Channels) Importance() float64 {
	return min(1, c.Boost*(Novelty*c.Novelty+Arousal*c.Arousal+Reward*c.Reward+Attention*c.Attention))
}

// Cognitive is the importance by the four channels.
func Cognitive(a Appraisal) float64 { return ChannelsOf(a).Importance() }

// Appraiser finds what messages are appraised by. It is safe for concurrent use.
type Appraiser struct {
	DB       *schema.DB
	Searcher *recall.Searcher
	Func     Func
}

const (
	nearest  = 10 // memories that a message is compared with
	sessions = 10 // messages of its session
)

// Look finds what a stored message is appraised by: nothing of what came after it. No
// embedder is asked.
func (p *Appraiser) Look(ctx context.Context, scope schema.Scope, m *schema.Memory) (a Appraisal, err error) {
	a.Memory = m
	if len(text.Terms(m.Content)) > 0 {
		question := text.Truncate(m.Content, asked)
		answer, err := p.Searcher.Search(ctx, scope, recall.Query{
			Text: question, Limit: nearest, Now: m.EventTime.Time, TextOnly: true, Skip: func(o *schema.Memory) bool { return o.ID >= m.ID },
		})
		if err != nil {
			return a, err
		}
		texts := []string{m.Content}
		for i := range answer.Results {
			texts = append(texts, answer.Results[i].Memory.Content)
		}
		sets := text.TermSets(texts)
		for i := range answer.Results {
			a.Near = append(a.Near, Near{&answer.Results[i].Memory, sets[0].Cosine(sets[i+1])})
		}
	}
	err = p.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		a.Session, err = s.Before(ctx, m, sessions)
		return err
	})
	return a, err
}

// asked is how much of a message is searched for, in tokens.
const asked = 200

// tagged is how long a weak message can be strengthened by a strong one after it.
const tagged = 4 * time.Hour

// The bounds of synaptic tagging.
const (
	Weak   = 0.5
	Strong = 0.7
)

// Rate returns a message's importance, 0–1, and the attributes that say how it reads:
// the channels, valence, arousal and emotion, where there are any, and for a weak one
// until when it is tagged.
func (p *Appraiser) Rate(ctx context.Context, scope schema.Scope, m *schema.Memory) (importance float64, attributes map[string]string, err error) {
	a, err := p.Look(ctx, scope, m)
	if err != nil {
		return 0, nil, err
	}
	importance = p.Func(a)
	attributes = map[string]string{schema.AttrChannels: ChannelsOf(a).String()}
	if f := emotion.Of(m.Content); f != (emotion.Feeling{}) {
		attributes[schema.AttrValence] = strconv.FormatFloat(f.Valence, 'g', 3, 64)
		attributes[schema.AttrArousal] = strconv.FormatFloat(f.Arousal, 'g', 3, 64)
		if f.Emotion != "" {
			attributes[schema.AttrEmotion] = string(f.Emotion)
		}
	}
	if importance < Weak {
		attributes[schema.AttrTagged] = m.EventTime.Add(tagged).UTC().Format(time.RFC3339)
	}
	return importance, attributes, nil
}
