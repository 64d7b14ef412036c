package dream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/schema"
)

func TestRedundancy(t *testing.T) {
	const said = "The user keeps eleven brown hens and a loud rooster in the garden behind the old mill"
	l := open(t)
	with := func(text string, utility float64) *schema.Memory {
		return l.add(func(m *schema.Memory) { m.Content, m.Utility = text, utility })
	}
	lower, higher := with(said, 0.5), with(said+" now", 0.7)
	own := l.add(func(m *schema.Memory) { user(m); m.Content, m.Utility = "A "+said+" now", 0.1 })
	different := []*schema.Memory{
		with("The user keeps no brown hens and a loud rooster in the garden behind the old mill", 0.5),
		with("The user keeps 12 brown hens and a loud rooster in the garden behind the old mill", 0.5),
		with("The user and Noor keeps eleven brown hens and a loud rooster in the garden behind the old mill", 0.5),
		l.add(func(m *schema.Memory) { m.Content, m.Kind = said, schema.KindReflection }),
		with("The tram is late", 0.5),
		own,
	}
	const nurse, key = "The user's sister works as a nurse at the hospital in Bergen.", "The spare key is under the left flower pot by the back door"
	for _, text := range []string{nurse, strings.Replace(nurse, "sister", "brother", 1), key, strings.Replace(key, "left", "right", 1)} {
		different = append(different, with(text, 0.5))
	}
	event := func(m *schema.Memory) {
		m.Content, m.Attributes = "The user rowed across the whole lake with the red boat in the rain", schema.Attributes{schema.AttrTemporal: "event"}
	}
	different = append(different, l.add(event))
	l.set(1)
	different = append(different, l.add(event))
	before := l.rows()
	report, r := l.night(dream.Redundancy{})
	require.Equal(t, 2, report.Changes(), "the user's own words stay, whatever their utility")
	require.Equal(t, schema.StateDormant, l.get(lower).State)
	require.Equal(t, schema.StateDormant, l.get(higher).State)
	for _, m := range different {
		require.Equal(t, schema.StateActive, l.get(m).State, m.Content)
	}
	again, _ := l.night(dream.Redundancy{})
	require.Zero(t, again.Changes())
	undone, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, before, l.rows())

	l = open(t)
	lower, higher = with(said, 0.5), with(said+" now", 0.7)
	l.night(dream.Redundancy{})
	require.Equal(t, schema.StateDormant, l.get(lower).State, "of equal trust, the more useful stays")
	require.Equal(t, schema.StateActive, l.get(higher).State)
	for range 60 {
		with(said, 0.2)
	}
	report, _ = l.night(dream.Redundancy{})
	require.Equal(t, 49, report.Changes(), "no more than 50 a day")
}

// What says more than another memory stays, whichever is older or more useful.
func TestRedundancyKeepsTheFuller(t *testing.T) {
	const room = "Bo's guest room has a double bed, a desk, a lamp, a wardrobe and a carpet"
	for _, c := range []struct {
		older, newer string
		useful       int // the more useful one
		asleep       []int
	}{
		{room, room + " and mould", 0, []int{0}},
		{room, room + " and mould", 1, []int{0}},
		{room + " and mould", room, 0, []int{1}},
		{room + " and mould", room, 1, []int{1}},
		{room, room, 0, []int{1}},
		{room, room, 1, []int{0}},
		{room + " and mould", room + " and rats", 0, nil},
	} {
		l := open(t)
		var made []*schema.Memory
		for i, content := range []string{c.older, c.newer} {
			made = append(made, l.add(func(m *schema.Memory) {
				if m.Content, m.Utility = content, 0.5; i == c.useful {
					m.Utility = 0.6
				}
			}))
		}
		l.night(dream.Redundancy{})
		var asleep []int
		for i, m := range made {
			if l.get(m).State == schema.StateDormant {
				asleep = append(asleep, i)
			}
		}
		require.Equal(t, c.asleep, asleep, c)
	}
	l := open(t)
	full := l.add(func(m *schema.Memory) { m.Content = room + " and mould" })
	own := l.add(func(m *schema.Memory) { user(m); m.Content = room })
	l.night(dream.Redundancy{})
	require.Equal(t, schema.StateActive, l.get(full).State, "it says more")
	require.Equal(t, schema.StateActive, l.get(own).State, "it is the user's")
}

// Two claims in nearly the same words may be about two subjects.
func TestRedundancyBySubject(t *testing.T) {
	l := open(t)
	for _, subject := range []string{"Tom", "Kim"} {
		l.add(func(m *schema.Memory) { m.Content, m.Subject = "Plays the cello in a quartet", subject })
	}
	report, _ := l.night(dream.Redundancy{})
	require.Zero(t, report.Changes())
}

// In Tokyo, noon and midnight of UTC lie on two days.
func TestRedundancyByLocalDay(t *testing.T) {
	for zone, changes := range map[string]int{"UTC": 1, "Asia/Tokyo": 0} {
		l := open(t)
		for _, day := range []float64{0, 0.25} {
			l.set(day)
			l.add(func(m *schema.Memory) {
				m.Content, m.Attributes = "The user rowed across the lake", schema.Attributes{schema.AttrTemporal: schema.TemporalEvent}
			})
		}
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		r, err := consolidate.NewRunner(l.db, nil, consolidate.RunnerOptions{Stages: []consolidate.Stage{dream.Redundancy{}}, Location: loc})
		require.NoError(t, err)
		report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Equal(t, changes, report.Changes(), zone)
	}
}
