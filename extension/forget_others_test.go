package extension

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// In a conversation of several people a request to forget means what its speaker said.
func TestForgetInGroup(t *testing.T) {
	const (
		ben  = "I live in Bergen."
		oslo = "I live in Oslo."
		pay  = "I earn 70,000 a year."
		trip = "Ben is planning a trip to Narvik in secret."
	)
	for _, c := range []struct {
		name, by, ask string
		last          string // said just before it, by Dora
		gone, stay    []string
	}{
		{"own address", "Ben", "Please forget my address.", "", []string{ben}, []string{oslo, pay}},
		{"the owner's address", "", "Please forget my address.", "", []string{oslo}, []string{ben, pay}},
		{"the owner's, by her name", "Dora Maar", "Please forget my address.", "", []string{oslo}, []string{ben, pay}},
		{"nothing of one's own", "Ben", "Forget what I earn.", "", nil, []string{ben, oslo, pay}},
		{"what another said last", "Ben", "Forget that.", pay, nil, []string{ben, oslo, pay}},
		{"what oneself said last", "", "Forget that.", pay, []string{pay}, []string{ben, oslo}},
		{"another's, named", "Cleo", "Forget that Ben lives in Bergen.", "", nil, []string{ben, oslo}},
		{"another's, named by the owner", "", "Forget that Ben lives in Bergen.", "", []string{ben}, []string{oslo, pay}},
		{"about another, by the owner", "", "Forget that trip to Narvik.", "", []string{trip}, []string{ben, oslo, pay}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newDiary(t)
			l.says(oslo)
			l.says(ben, eventbus.Speaker("Ben"))
			l.says(pay)
			l.says(trip)
			l.says("We have two cats.", eventbus.Speaker("Ben"))
			if c.last != "" {
				l.says(c.last)
			}
			l.says(c.ask, eventbus.Speaker(c.by))
			for _, text := range c.gone {
				require.False(t, l.holds(text), text)
			}
			for _, text := range c.stay {
				require.True(t, l.holds(text), text)
			}
			require.True(t, l.holds("We have two cats."))
			waiting, err := l.x.Proposals(t.Context(), dora)
			require.NoError(t, err)
			require.Equal(t, len(c.gone) == 0, len(waiting) > 0)
		})
	}
}
