package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// ProposalContradiction is the kind of the rows of proposals that hold a
// [ContradictionPair].
const ProposalContradiction = "contradiction"

// ContradictionPair are two claims that do not seem to hold both, by public
// id. Their texts are read when they are listed.
type ContradictionPair struct {
	Earlier string `json:"earlier"` // the one that began to hold first
	Later   string `json:"later"`
}

// Relate asks to do what follows from how two claims stand to each other: to
// let the later take the place of the earlier, to merge two that say the same,
// or to leave a contradiction to the host. What it comes to is decided on the
// claims as they are when it is applied.
//
// A merged claim counts as replaced by the one that is kept, which takes in
// those of its sources that say what it says. Two claims that were left to the
// host once are not touched again, whatever the host decided.
type Relate struct {
	A, B     string // public ids
	Relation Relation
	ByModel  bool   // a model says so, not code
	Why      string // the model's words, for reports
}

// Kind implements [Proposal].
func (p Relate) Kind() string { return string(p.Relation) }

// MemoryUID implements [Proposal].
func (p Relate) MemoryUID() string { return p.B }

func (p Relate) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	a, err := partyOf(ctx, tx, tx, n.input.UserID, p.A)
	if err != nil {
		return Outcome{}, err
	}
	b, err := partyOf(ctx, tx, tx, n.input.UserID, p.B)
	if err != nil {
		return Outcome{}, err
	}
	act := decide(p.Relation, p.ByModel, a, b, n.input.Now)
	pair := pairOf(a, b)
	if act.verb != leave {
		pending, err := leftToHost(ctx, tx, n.input.UserID, pair)
		if err != nil {
			return Outcome{}, err
		}
		if pending {
			return Outcome{Kind: ProposalContradiction, Memory: pair.Later, Fate: Known, Reason: "it was left to the host before", Text: p.Why}, nil
		}
	}
	outcome := Outcome{Kind: p.Kind(), Memory: act.old.UID, Fate: Applied, Reason: act.reason, Text: p.Why}
	switch act.verb {
	case leave:
		outcome.Fate = Rejected
	case supersede:
		outcome.Kind = "supersede"
		err = tx.Supersede(ctx, act.old.Memory, act.kept.Memory, n.actor())
	case merge:
		outcome.Kind = "merge"
		err = mergeClaims(ctx, tx, n, act.old, act.kept)
	case flag:
		outcome.Kind, outcome.Memory, outcome.Fate = ProposalContradiction, pair.Later, Waiting
		if _, err = tx.Link(ctx, act.kept.Memory, act.old.Memory, "contradicts", n.actor()); err == nil {
			_, _, err = tx.Propose(ctx, n.input.UserID, ProposalContradiction, pair, act.reason, n.actor())
		}
	}
	return outcome, err
}

// mergeClaims closes one claim in favour of another that says the same. The
// sources that say it too make the other one surer, unless it is the host's.
func mergeClaims(ctx context.Context, tx *schema.Tx, n *night, dropped, kept *party) error {
	if err := tx.Supersede(ctx, dropped.Memory, kept.Memory, n.actor()); err != nil || kept.untouchable() {
		return err
	}
	evidence, err := evidenceOf(ctx, tx, dropped.ID)
	if err != nil {
		return err
	}
	statement := grounding.Understand(kept.Content, kept.EventTime.Time)
	var sources []claims.Evidence
	for _, e := range evidence {
		m, err := tx.Memory(ctx, dropped.UserID, e.UID)
		if err != nil {
			return err
		}
		speaker := []string{m.Speaker}
		if m.Speaker == "" && m.Trust == schema.MaxTrust {
			speaker = []string{n.input.Scope.User}
		}
		if statement.HeldBy(m.Content, m.EventTime.In(n.input.Location), speaker) {
			sources = append(sources, claims.Evidence{Memory: m, Quote: e.Quote, Holds: true})
		}
	}
	_, _, err = claims.Strengthen(ctx, tx, kept.Memory, sources, n.actor())
	return err
}

// evidence is a message that a claim rests on.
type evidence struct {
	UID       string
	Content   string
	Speaker   string
	Owner     string // whose memory it is
	Role      string
	Trust     schema.Trust
	EventTime schema.Time
	Quote     string
}

func evidenceOf(ctx context.Context, db bun.IDB, memoryID int64) (list []evidence, err error) {
	err = db.NewRaw(`SELECT s.uid, s.content, s.speaker, u.name AS owner, s.role, s.trust, s.event_time, ms.quote
		FROM memory_sources ms JOIN memories s ON s.id = ms.source_id JOIN users u ON u.id = s.user_id WHERE ms.memory_id = ? ORDER BY s.id`, memoryID).Scan(ctx, &list)
	return list, err
}

// reader reads memories by their public ids: a snapshot or a write.
type reader interface {
	Memory(ctx context.Context, userID int64, uid string) (*schema.Memory, error)
}

// partyOf reads a claim and what a decision about it rests on.
func partyOf(ctx context.Context, db bun.IDB, r reader, userID int64, uid string) (*party, error) {
	m, err := r.Memory(ctx, userID, uid)
	if err != nil {
		return nil, err
	}
	p := &party{Memory: m}
	if err := db.NewRaw("SELECT EXISTS ("+ofProtected+" AND me.memory_id = ?)", m.ID).Scan(ctx, &p.guarded); err != nil {
		return nil, err
	}
	sources, err := evidenceOf(ctx, db, m.ID)
	if err != nil {
		return nil, err
	}
	p.rest(sources)
	return p, nil
}

// rest tells from a claim's sources when it was last said, by somebody as
// trusted as the claim, and whether one of them states it outright.
func (p *party) rest(sources []evidence) {
	p.outright = p.RunID == 0
	for _, s := range sources {
		if s.Trust < p.Trust {
			continue
		}
		if s.EventTime.After(p.said) {
			p.said = s.EventTime.Time
		}
		if bySpeaker(p.Subject, s.Speaker, s.Owner) && grounding.StatesOutright(grounding.Sentence(s.Content, s.Quote), claims.Predicate(p.Predicate), p.Object) {
			p.outright = true
		}
	}
	if p.said.IsZero() {
		p.said = p.EventTime.Time
	}
}

// bySpeaker reports whether a claim is about whoever said it. Where messages
// bear names, "the user" is only who bears the owner's.
func bySpeaker(subject, speaker, owner string) bool {
	subject, speaker = text.Fold(subject), text.Fold(speaker)
	if subject == theUser {
		if speaker == "" {
			return true
		}
		subject = text.Fold(owner)
	}
	return subject != "" && (subject == speaker || slices.Contains(strings.Fields(speaker), subject))
}

func pairOf(a, b *party) ContradictionPair {
	earlier, later := order(a, b)
	return ContradictionPair{Earlier: earlier.UID, Later: later.UID}
}

// leftToHost reports a pair that was proposed before, whatever became of it.
func leftToHost(ctx context.Context, tx *schema.Tx, userID int64, pair ContradictionPair) (left bool, err error) {
	err = tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM proposals WHERE user_id = ? AND kind = ?
		AND json_extract(payload, '$.earlier') IN (?3, ?4) AND json_extract(payload, '$.later') IN (?3, ?4))`,
		[]any{userID, ProposalContradiction, pair.Earlier, pair.Later}, &left)
	return left, err
}

// hostPairs are all pairs that were ever left to the host.
func hostPairs(ctx context.Context, s *schema.Snapshot, userID int64) (map[ContradictionPair]bool, error) {
	rows, err := s.Query(ctx, "SELECT payload FROM proposals WHERE user_id = ? AND kind = ?", userID, ProposalContradiction)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	pairs := make(map[ContradictionPair]bool)
	for rows.Next() {
		var payload string
		var pair ContradictionPair
		if err := rows.Scan(&payload); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(payload), &pair); err != nil {
			return nil, errors.Join(errors.New("a proposal's payload is damaged"), err)
		}
		pairs[pair] = true
		pairs[ContradictionPair{pair.Later, pair.Earlier}] = true
	}
	return pairs, rows.Err()
}
