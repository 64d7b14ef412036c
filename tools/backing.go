package tools

import (
	"context"
	"regexp"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/schema"
)

// backing is the turn of the user's that holds a claim.
type backing struct {
	turn  *schema.Memory
	quote string // the sentence of the turn that comes closest, verbatim
}

// turnsRead is how many of the user's turns in the session can back a claim.
const turnsRead = 20

// readUserTurns reads what the user said last in this session, newest first: what
// is active, and what is in one of the given states.
func readUserTurns(ctx context.Context, d *Deps, states ...schema.State) ([]schema.Memory, error) {
	states = append(states, schema.StateActive)
	var turns []schema.Memory
	err := d.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, d.Scope)
		if err != nil || userID == 0 {
			return err
		}
		q := s.NewSelect().Model(&turns).
			Where("user_id = ? AND kind = ? AND role = 'user'", userID, schema.KindEpisode).
			Where("origin = ? AND trust = ? AND state IN (?)", schema.OriginUser, int64(schema.MaxTrust), bun.List(states)).
			Order("event_time DESC", "id DESC").Limit(turnsRead)
		if d.Scope.Session == "" {
			q = q.Where("session_id IS NULL")
		} else {
			sessionID, err := s.SessionID(ctx, userID, d.Scope.Session)
			if err != nil || sessionID == 0 {
				return err
			}
			q = q.Where("session_id = ?", sessionID)
		}
		return q.Scan(ctx)
	})
	return turns, err
}

// interjection is a "no" that answers somebody else: "No no, it is called …".
var interjection = regexp.MustCompile(`(?i)^\W*(?:no[\s,.!]+)+`)

// back finds the newest of the turns that holds a claim; nil when none does.
func back(content string, turns []schema.Memory, d *Deps) *backing {
	c := grounding.Understand(content, d.DB.Now().In(d.Location))
	for i := range turns {
		turn := &turns[i]
		if c.HeldBy(turn.Content, turn.EventTime.In(d.Location), []string{turn.Speaker, d.Scope.User}) {
			quote := c.Quote(turn.Content)
			if grounding.Denial.MatchString(interjection.ReplaceAllString(quote, "")) != grounding.Denial.MatchString(content) {
				continue // it says the opposite
			}
			return &backing{turn: turn, quote: quote}
		}
	}
	return nil
}

// back finds the user's turn that holds the claim, and what is understood of it.
func (c *claim) back(turns []schema.Memory, d *Deps) {
	c.backing = back(c.content, turns, d)
	names, sentence := []string{d.Scope.User}, ""
	if c.backing != nil {
		names, sentence = append(names, c.backing.turn.Speaker), c.backing.quote
	}
	c.reading, c.outright = claims.Told(c.content, sentence, names)
}
