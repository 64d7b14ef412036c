package tools

import (
	"context"
	"math"
	"slices"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// backing is the turn of the user's that supports a claim.
type backing struct {
	turn  *schema.Memory
	quote string // the sentence of the turn that comes closest, verbatim
	apart bool   // the claim has no word and no topic in common with it
}

// turnsRead is the number of the user's turns in the session that can back a claim.
const turnsRead = 20

// readUserTurns reads the user's latest messages in this session, newest first:
// active ones and those in one of the given states.
func readUserTurns(ctx context.Context, d *Deps, states ...schema.State) ([]schema.Memory, error) {
	if len(states) == 0 && d.turns != nil {
		return slices.DeleteFunc(slices.Clone(d.turns), func(m schema.Memory) bool { return m.State == schema.StateForgotten }), nil
	}
	return schema.Get(ctx, d.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Memory, error) {
		return s.OwnTurns(ctx, d.Scope, turnsRead, append(states, schema.StateActive)...)
	})
}

// onlyOwner is what a model reads about a change that waits where no message counts as the
// user's own, so that nothing they say in the conversation approves it.
const onlyOwner = "no message in this conversation counts as the user's own. Only the owner of the memory can approve it, with \"ebb proposals\" or on the page of \"ebb inspect\"; do not ask for a yes here."

// speaksForNoUser reports whether no message of this session counts as the user's own, and the
// host stores none either: the client is untrusted, or does not record turns.
func speaksForNoUser(ctx context.Context, d *Deps) (bool, error) {
	if !d.ForeignModel {
		return false, nil
	}
	turns, err := readUserTurns(ctx, d, schema.StateForgotten)
	return err == nil && len(turns) == 0, err
}

// isUnstored reports whether a model wants to store what the user said is not to be stored:
// anything, if the newest turn says so, else what comes from such a turn and from no newer one.
func isUnstored(ctx context.Context, d *Deps, content string) (bool, error) {
	turns, err := readUserTurns(ctx, d, schema.StateForgotten)
	if err != nil {
		return false, err
	}
	d.turns = turns
	c := grounding.Understand(content, d.DB.Now().In(d.Location))
	for i := range turns {
		unstored, _ := said.Unstored(turns[i].Content)
		if unstored && i == 0 || c.Aligned(turns[i].Content) >= leastOlder {
			return unstored, nil
		}
	}
	return false, nil
}

// back finds the newest of the turns that states a claim, or nil.
func back(content string, turns []schema.Memory, d *Deps) *backing {
	claim := claims.Reworded(content, d.DB.Now().In(d.Location))
	for i := range turns {
		turn := &turns[i]
		if quote := claim.StatedBy(turn.Content, turn.EventTime.In(d.Location), []string{turn.Speaker, d.Scope.User}); quote != "" {
			return &backing{turn: turn, quote: quote}
		}
	}
	return nil
}

// back finds the user's turn that supports the claim, and parses the claim. Without
// such a turn it finds the sentence of the user's that the claim most likely comes
// from.
func (c *claim) back(turns []schema.Memory, d *Deps) {
	c.backing = back(c.content, turns, d)
	names, sentence := []string{d.Scope.User}, ""
	if c.backing != nil {
		names, sentence = append(names, c.backing.turn.Speaker), c.backing.quote
	} else {
		c.drawn = nearest(c.content, turns, d)
		if c.drawn != nil {
			names = append(names, c.drawn.turn.Speaker)
		}
	}
	c.reading, c.outright = claims.Parse(c.content, sentence, names)
}

// leastDrawn is the minimum share of a claim's words in the sentence of the newest turn
// that it comes from, leastOlder that of an older one: "I work as a nurse" is not where
// "User works as a baker" comes from.
const (
	leastAlikeTopics = 0.25 // of a claim and a sentence without a word in common: baker and bakery

	leastDrawn = 0.25
	leastOlder = 0.51
)

// nearest finds the sentence that a claim in a model's own words most likely comes
// from: the one with its numbers and dates, then with most of its words, of one message the
// shortest of those with as many, else one of the newest turn that holds the claim in
// several sentences, else the one there with any of its words, else the user's statement
// about themselves there, else an older one with few of its words. The claim gains no trust
// by it; the core section shows the sentence instead of the claim.
func nearest(content string, turns []schema.Memory, d *Deps) *backing {
	if len(turns) == 0 {
		return nil
	}
	c := grounding.Understand(content, d.DB.Now().In(d.Location))
	var best *backing
	var most float64
	align := func(least float64, turns ...schema.Memory) {
		most = max(most, least)
		for i := range turns {
			for _, sentence := range text.Sentences(turns[i].Content) {
				aligned := c.Aligned(sentence)
				if c.Dated(sentence, turns[i].EventTime.In(d.Location)) {
					aligned++
				}
				if aligned > most || aligned == most && (best == nil || best.turn.ID == turns[i].ID && len(sentence) < len(best.quote)) {
					best, most = &backing{turn: &turns[i], quote: sentence}, aligned
				}
			}
		}
	}
	align(leastDrawn, turns[0])
	align(leastOlder, turns[1:]...)
	for i := range turns {
		turn := &turns[i]
		if best == nil && c.HeldBy(turn.Content, turn.EventTime.In(d.Location), []string{turn.Speaker, d.Scope.User}) {
			best = &backing{turn: turn, quote: c.Quote(turn.Content)}
		}
	}
	if best != nil {
		return best
	}
	most = math.SmallestNonzeroFloat64
	align(most, turns[0])
	if own := claims.OwnSentence(turns[0].Content); best == nil && own != "" {
		return &backing{turn: &turns[0], quote: own, apart: topics.Ask(topics.Of(content), 1).Near(topics.Of(own)) < leastAlikeTopics}
	}
	if best == nil {
		align(leastDrawn, turns[1:]...)
	}
	return best
}
