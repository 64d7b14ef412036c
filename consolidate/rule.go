package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Rule revises active memories by their metadata. When and Worth get a memory without
// its text; their results must depend only on their arguments.
type Rule struct {
	// Name is unique in its stage. It names the counter in reports and the rule in the
	// audit log.
	Name string
	// Where selects the memories. With Dormant it selects dormant ones instead of
	// active ones.
	Where   schema.Conditions
	Dormant bool
	// When returns the revision of a memory, or false to leave it unchanged. It is
	// called again before the change is applied. Default: the memory becomes dormant.
	When func(m *schema.Memory, now time.Time) (schema.Revision, bool)
	// Worth orders the memories: the lowest are revised first, of equal ones the older.
	// NaN is the lowest. Default: by id.
	Worth Worth
	// Above, if set, makes the rule act only if more than Above memories match Where.
	// It then leaves To of them unchanged, at least 1. Default of To: Above.
	Above, To int
	// Most is the maximum number of memories revised per day, over all runs. Default
	// 0: no limit.
	Most int
}

// asleep is the default of [Rule.When].
func asleep(*schema.Memory, time.Time) (schema.Revision, bool) {
	return schema.Revision{State: schema.StateDormant}, true
}

func (r *Rule) state() schema.State {
	if r.Dormant {
		return schema.StateDormant
	}
	return schema.StateActive
}

// leaves returns how many memories the rule leaves unchanged; 0 without a bound.
func (r *Rule) leaves() int {
	if r.Above <= 0 {
		return 0
	}
	return cmp.Or(max(0, r.To), r.Above)
}

// ask calls When and returns its panic as an error.
func (r *Rule) ask(m *schema.Memory, now time.Time) (revision schema.Revision, ok bool, err error) {
	when := r.When
	if when == nil {
		when = asleep
	}
	err = hostCall(func() { revision, ok = when(m, now) })
	return revision, ok && err == nil, err
}

// Rules is the stage that applies a list of rules, each to the result of those before
// it. Of memories that are protected, pinned, mention a protected entity or wait for
// the host's decision, only the attributes can change.
//
// Counts: under the name of each rule, the memories it revises; held, those that are
// protected; beyond, those that Most leaves for another night.
type Rules struct {
	Stage string
	List  []Rule
}

// Name implements [Stage].
func (r Rules) Name() string { return r.Stage }

// Propose implements [Stage]. A rule that fails does not stop the others.
func (r Rules) Propose(ctx context.Context, in *Input, apply Apply) error {
	var failed []error
	for i := range r.List {
		rule := &r.List[i]
		proposals, err := rule.propose(ctx, in)
		if err != nil {
			failed = append(failed, fmt.Errorf("rule %s: %w", rule.Name, err))
		}
		const batch = 500 // keeps each write short; each also stores the report of all before it
		for some := range slices.Chunk(proposals, batch) {
			if _, err := apply(ctx, some...); err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}

func (r *Rule) propose(ctx context.Context, in *Input) (proposals []Proposal, err error) {
	var met []schema.Memory
	var guarded map[int64]bool
	left := -1
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		if met, err = s.Night().Meeting(ctx, in.UserID, r.state(), &r.Where); err != nil || len(met) == 0 || len(met) <= r.Above {
			return err
		}
		if guarded, err = guardedMemories(ctx, s, in); err != nil || r.Most <= 0 {
			return err
		}
		since, until := in.day()
		revised, err := s.Night().Revised(ctx, in.UserID, r.Name, since, until)
		left = max(0, r.Most-revised)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(met) <= r.Above {
		return nil, nil
	}
	if err := r.order(met, in.Now); err != nil {
		return nil, err
	}
	if leave := r.leaves(); leave > 0 {
		met = met[:len(met)-min(leave, len(met))]
	}
	for i := range met {
		m := &met[i]
		revision, ok, err := r.ask(m, in.Now)
		switch {
		case err != nil:
			return nil, err
		case !ok || !revision.Changes(m):
		case !revision.LabelsOnly() && (m.Protected || m.Pinned || guarded[m.ID]):
			in.Count("held", 1)
		case left == 0:
			in.Count("beyond", 1)
		default:
			left--
			proposals = append(proposals, Revise{UID: m.UID, Version: m.Version, Rule: r, Revision: revision})
		}
	}
	in.Count(r.Name, len(proposals))
	return proposals, nil
}

// order sorts memories by worth, the least first.
func (r *Rule) order(met []schema.Memory, now time.Time) error {
	if r.Worth == nil {
		return nil
	}
	worth := make(map[int64]float64, len(met))
	err := hostCall(func() {
		for i := range met {
			worth[met[i].ID] = r.Worth(&met[i], now)
		}
	})
	slices.SortFunc(met, func(a, b schema.Memory) int {
		return cmp.Or(cmp.Compare(worth[a.ID], worth[b.ID]), cmp.Compare(a.ID, b.ID)) // NaN comes first
	})
	return err
}

// Revise applies the revision of a rule to a memory. It never changes the memory's
// text, trust or validity, and never releases it from quarantine.
type Revise struct {
	UID     string
	Version int64 // the memory as the stage saw it
	Rule    *Rule
	schema.Revision
}

func (p Revise) of() (kind, memory string) {
	switch p.State {
	case schema.StateDormant:
		return "deactivate", p.UID
	case schema.StateActive:
		return "activate", p.UID
	}
	return "revise", p.UID
}

func (p Revise) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	if p.Rule == nil {
		return Outcome{}, &schema.InvalidError{Field: "rule", Reason: "is missing"}
	}
	if err := p.Revision.Validate(); err != nil {
		return Outcome{}, err
	}
	m, err := n.unchanged(ctx, tx, p.UID, p.Version, p.Rule.state())
	if err != nil {
		return Outcome{}, err
	}
	if !p.LabelsOnly() {
		if err := n.unguarded(ctx, tx, m, n.input.guardsSentences()); err != nil {
			return Outcome{}, err
		}
	}
	met, err := tx.Night().Meeting(ctx, n.input.UserID, p.Rule.state(), &p.Rule.Where, m.ID)
	if err != nil {
		return Outcome{}, err
	}
	still := len(met) == 1
	if still {
		revision, ok, err := p.Rule.ask(&met[0], n.input.Now)
		if err != nil {
			return Outcome{}, &schema.InvalidError{Field: "rule", Reason: "failed: " + err.Error()}
		}
		still = ok && reflect.DeepEqual(revision, p.Revision)
	}
	if !still {
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "does not meet the rule any more"}
	}
	if leave := p.Rule.leaves(); leave > 0 {
		if err := n.takeAbove(ctx, tx, p.Rule.Name, p.Rule.state(), &p.Rule.Where, leave); err != nil {
			return Outcome{}, err
		}
	}
	return applied(p), tx.Revise(ctx, m, p.Revision, p.Rule.Name, n.actor())
}

// takeAbove decrements the number of memories that meet the conditions. It returns a
// [*schema.InvalidError] if no more than leave are left. The database is queried once
// per batch, not for each proposal.
func (n *night) takeAbove(ctx context.Context, tx *schema.Tx, bound string, state schema.State, c *schema.Conditions, leave int) (err error) {
	left, counted := n.left[bound]
	if !counted {
		if left, err = tx.Night().CountMeeting(ctx, n.input.UserID, state, c); err != nil {
			return err
		}
	}
	n.left[bound] = left
	if left <= leave {
		return &schema.InvalidError{Field: "memory", Reason: "is not beyond the cap any more"}
	}
	n.left[bound]--
	return nil
}

// unchanged reads a memory that a stage saw at a version, in a state.
func (n *night) unchanged(ctx context.Context, tx *schema.Tx, uid string, version int64, state schema.State) (*schema.Memory, error) {
	m, err := tx.Memory(ctx, n.input.UserID, uid)
	switch {
	case err != nil:
		return nil, err
	case m.Version != version:
		return nil, fmt.Errorf("memory %s: %w", uid, schema.ErrConflict)
	case m.State != state:
		return nil, &schema.InvalidError{Field: "memory", Reason: "is not " + string(state) + " any more"}
	}
	return m, nil
}

// unguarded returns an [*schema.InvalidError] for a memory that no stage
// deactivates; see [guardedMemories].
func (n *night) unguarded(ctx context.Context, tx *schema.Tx, m *schema.Memory, sentences bool) error {
	if m.Protected || m.Pinned {
		return &schema.InvalidError{Field: "memory", Reason: "is protected"}
	}
	guarded, err := tx.Night().IsGuarded(ctx, m.ID, sentences)
	if err != nil {
		return err
	}
	if guarded {
		return &schema.InvalidError{Field: "memory", Reason: "mentions a protected entity, or rests on a standing sentence of the user's"}
	}
	waits, err := tx.Waits(ctx, m)
	if err != nil {
		return err
	}
	if waits {
		return &schema.InvalidError{Field: "memory", Reason: "waits for a person to decide about it"}
	}
	return nil
}
