package schema

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"
)

// Revision is what a rule of a night changes of a memory. What is empty, nil or
// missing stays as it is. Origin, trust, content and validity are not among it.
type Revision struct {
	State      State             `json:"state,omitempty"` // active or dormant
	Importance *float64          `json:"importance,omitempty"`
	Stability  *float64          `json:"stability,omitempty"`
	Utility    *float64          `json:"utility,omitempty"`
	Pinned     *bool             `json:"pinned,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"` // "" removes one
}

// Validate returns an [*InvalidError] for what no memory may be.
func (r Revision) Validate() error {
	if r.State != "" && r.State != StateActive && r.State != StateDormant {
		return &InvalidError{Field: "state", Reason: "must be active or dormant: a rule ends no memory and releases none from quarantine"}
	}
	for _, unit := range []struct {
		field string
		value *float64
	}{{"importance", r.Importance}, {"utility", r.Utility}} {
		if unit.value != nil {
			if err := ValidUnit(unit.field, *unit.value); err != nil {
				return err
			}
		}
	}
	if s := r.Stability; s != nil && !(*s >= 1 && *s <= MaxStability) {
		return &InvalidError{Field: "stability", Reason: fmt.Sprintf("must be from 1 to %d", MaxStability)}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		switch value := r.Attributes[name]; {
		case OwnAttribute(name) && !slices.Contains(ruledAttributes, name):
			return &InvalidError{Field: "attributes." + name, Reason: "is not for rules to change"}
		case slices.Contains(ruledAttributes, name) || value == "":
			if value != "" {
				if err := oneLine("attributes."+name, value); err != nil {
					return err
				}
			}
		default:
			if err := ValidAttribute(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// LabelsOnly reports a revision of nothing but attributes.
func (r Revision) LabelsOnly() bool {
	return r.State == "" && r.Importance == nil && r.Stability == nil && r.Utility == nil && r.Pinned == nil
}

// changes are the columns of m that the revision sets to something else.
func (r Revision) changes(m *Memory) (all []change) {
	if r.State != "" && r.State != m.State {
		all = append(all, change{"state", string(r.State)})
	}
	for _, number := range []struct {
		column   string
		now, new *float64
	}{{"importance", &m.Importance, r.Importance}, {"stability", &m.Stability, r.Stability}, {"utility", &m.Utility, r.Utility}} {
		if number.new != nil && *number.new != *number.now {
			all = append(all, change{number.column, *number.new})
		}
	}
	if r.Pinned != nil && *r.Pinned != m.Pinned {
		all = append(all, change{"pinned", *r.Pinned})
	}
	if attributes := r.attributes(m); !maps.Equal(attributes, m.Attributes) {
		all = append(all, change{"attributes", attributes})
	}
	return all
}

func (r Revision) attributes(m *Memory) Attributes {
	attributes := maps.Clone(m.Attributes)
	for name, value := range r.Attributes {
		if value == "" {
			delete(attributes, name)
			continue
		}
		if attributes == nil {
			attributes = make(Attributes)
		}
		attributes[name] = value
	}
	return attributes
}

// Changes reports whether the revision would change m.
func (r Revision) Changes(m *Memory) bool { return len(r.changes(m)) > 0 }

// Revise changes a memory as a rule says. The audit names the rule.
//
// Errors: [*InvalidError] for a revision that cannot be; [ErrConflict] when m
// changed since it was read.
func (tx *Tx) Revise(ctx context.Context, m *Memory, r Revision, rule string, by Actor) error {
	if err := r.Validate(); err != nil {
		return err
	}
	changes := r.changes(m)
	if len(changes) == 0 {
		return nil
	}
	if err := tx.changeMemory(ctx, m, by, OpRevise+rule, changes...); err != nil {
		return err
	}
	before := m.Importance
	m.Attributes = r.attributes(m)
	if r.State != "" {
		m.State = r.State
	}
	for _, set := range []struct{ to, from *float64 }{{&m.Importance, r.Importance}, {&m.Stability, r.Stability}, {&m.Utility, r.Utility}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	if r.Pinned != nil {
		m.Pinned = *r.Pinned
	}
	return tx.regather(ctx, m, before, by)
}

// OpRevise, with the name of the rule, is the operation of a revision.
const OpRevise = "revise:"

// Revised returns how many memories a rule has revised between two times, but for those
// whose revision was undone.
func (n NightReads) Revised(ctx context.Context, userID int64, rule string, since, until Time) (revised int, err error) {
	err = n.db.Row(ctx, `SELECT count(DISTINCT o.record_id) FROM ops o JOIN runs r ON r.id = o.run_id
		WHERE o.user_id = ? AND o.operation = ? AND o.at > ? AND o.at < ? AND r.state <> 'undone'`, []any{userID, OpRevise + rule, since, until}, &revised)
	return revised, err
}

// Meeting returns the user's memories in a state that meet conditions, without
// texts, by id; with only, those of these ids.
func (n NightReads) Meeting(ctx context.Context, userID int64, state State, c *Conditions, only ...int64) (met []Memory, err error) {
	err = selectMeeting(n.db, &met, userID, state, c, only).Scan(ctx)
	return met, err
}

func selectMeeting(db bun.IDB, met *[]Memory, userID int64, state State, c *Conditions, only []int64) *bun.SelectQuery {
	where, args := c.where()
	q := summaries(db.NewSelect().Model(met)).Where(where, args...).Order("id")
	if only == nil {
		return q.Where("user_id = ? AND state = ?", userID, state)
	}
	return q.Where("+user_id = ? AND state = ? AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", userID, state, JSONList(only))
}
