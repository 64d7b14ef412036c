package schema

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Conditions filter memories by metadata. A memory meets them if it meets every field
// that is set; the zero value and nil match all memories.
type Conditions struct {
	Kind  Kind
	Agent string
	// MinImportance is the lowest importance, 0–1.
	MinImportance float64
	// Is maps attributes to their exact values.
	Is map[string]string
	// Has maps attributes that hold lists, separated by commas, to an element of the
	// list.
	Has map[string]string
	// Between maps attributes that hold integers to their lowest and highest value.
	Between map[string][2]int64
	// Given lists attributes that must be present, and Lacks those that must not.
	Given, Lacks []string
	// AnyOf lists groups of alternatives; of each group at least one must be met.
	AnyOf [][]Conditions
}

// IsZero reports whether all memories match.
func (c *Conditions) IsZero() bool {
	return c == nil || c.Kind == "" && c.Agent == "" && c.MinImportance <= 0 && len(c.Is)+len(c.Has)+len(c.Between)+len(c.Given)+len(c.Lacks)+len(c.AnyOf) == 0
}

// Validate returns an [*InvalidError] that names the first bad attribute, or nil.
func (c *Conditions) Validate() error {
	if c == nil {
		return nil
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(c.Is)), slices.Collect(maps.Keys(c.Has)), slices.Collect(maps.Keys(c.Between)), c.Given, c.Lacks) {
		if !attributeName(name) {
			return &InvalidError{Field: "conditions", Reason: "have an attribute whose name is not of lower-case letters, digits and underscores"}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Between)) {
		if bounds := c.Between[name]; bounds[0] > bounds[1] {
			return &InvalidError{Field: "conditions." + name, Reason: "end before they begin"}
		}
	}
	for _, group := range c.AnyOf {
		if len(group) == 0 {
			return &InvalidError{Field: "conditions", Reason: "have a group without alternatives, which nothing meets"}
		}
		for i := range group {
			if err := group[i].Validate(); err != nil {
				return err
			}
		}
	}
	return ValidUnit("min importance", c.MinImportance)
}

// importanceSlack is smaller than the difference of two ratings and larger than the
// rounding error of converting 1–10 to 0–1.
const importanceSlack = 1e-9

// where returns the SQL condition on the table memories, aliased m, with its
// arguments.
func (c *Conditions) where() (where string, args []any) {
	if c.IsZero() {
		return "TRUE", nil
	}
	var all []string
	add := func(condition string, values ...any) {
		all = append(all, condition)
		args = append(args, values...)
	}
	if c.Kind != "" {
		add("m.kind = ?", string(c.Kind))
	}
	if c.Agent != "" {
		add("m.agent = ?", c.Agent)
	}
	if c.MinImportance > 0 {
		add("m.importance >= ?", c.MinImportance-importanceSlack)
	}
	if len(c.Is)+len(c.Has)+len(c.Between)+len(c.Given) > 0 {
		add("m.attributes <> '{}'")
	}
	const value = "json_extract(m.attributes, '$.' || ?)"
	for _, name := range slices.Sorted(maps.Keys(c.Is)) {
		add(value+" = ?", name, c.Is[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Has)) {
		add("instr(',' || "+value+" || ',', ',' || ? || ',') > 0", name, c.Has[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Between)) {
		add("CAST("+value+" AS BIGINT) BETWEEN ? AND ?", name, c.Between[name][0], c.Between[name][1])
	}
	for _, name := range c.Given {
		add(value+" IS NOT NULL", name)
	}
	for _, name := range c.Lacks {
		add(value+" IS NULL", name)
	}
	for _, group := range c.AnyOf {
		var either []string
		var values []any
		for i := range group {
			one, its := group[i].where()
			either, values = append(either, "("+one+")"), append(values, its...)
		}
		add("("+strings.Join(either, " OR ")+")", values...)
	}
	return strings.Join(all, " AND "), args
}

// Meeting returns the row ids of the user's memories that meet the conditions.
func (s *Snapshot) Meeting(ctx context.Context, userID int64, c *Conditions) (map[int64]bool, error) {
	where, args := c.where()
	meeting := make(map[int64]bool)
	var id int64
	err := Each(ctx, s.Query, []any{&id}, func() error {
		meeting[id] = true
		return nil
	}, "SELECT m.id FROM memories m WHERE m.user_id = ? AND "+where, append([]any{userID}, args...)...)
	return meeting, err
}

// ActiveMeeting returns the newest limit of the user's active memories that meet the
// conditions, ordered by event time.
func (s *Snapshot) ActiveMeeting(ctx context.Context, userID int64, c *Conditions, limit int) (memories []Memory, err error) {
	where, args := c.where()
	err = selectMemories(s, &memories).Where("m.user_id = ? AND m.state = ?", userID, StateActive).Where(where, args...).
		OrderExpr("m.event_time DESC, m.id DESC").Limit(int64(limit)).Scan(ctx)
	slices.Reverse(memories)
	return memories, err
}
