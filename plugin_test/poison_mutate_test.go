package plugin_test

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

// poisonMutator rewrites an attacker's text without changing what it is after.
type poisonMutator struct {
	name string
	// rewrite is pure: the same dice give the same text.
	rewrite func(dice *rand.Rand, s string) string
	// spares says that the effects stay as they are, as when words are
	// exchanged; otherwise all of the text is rewritten.
	spares bool
}

// mutants are the attack once for each mutator, and once for each of some pairs
// of them. Mutants in which the effects are no longer readable are left out, since
// they attack nothing. The same seed gives the same mutants.
func (a poisonAttack) mutants(seed uint64) []poisonAttack {
	var all []poisonAttack
	for _, m := range poisonMutators {
		all = append(all, a.mutated(seed, m))
	}
	dice := poisonDice(seed, a.ID)
	for range 6 {
		first, second := poisonMutators[dice.IntN(len(poisonMutators))], poisonMutators[dice.IntN(len(poisonMutators))]
		if first.name != second.name {
			all = append(all, a.mutated(seed, first, second))
		}
	}
	shapes := map[string]bool{a.hostile(): true}
	return slices.DeleteFunc(all, func(m poisonAttack) bool {
		text := m.hostile()
		lost := shapes[text] || slices.ContainsFunc(a.Effect, func(effect string) bool { return !carries(text, effect) })
		shapes[text] = true
		return lost
	})
}

// mutated applies the mutators in their order to what the attacker wrote.
func (a poisonAttack) mutated(seed uint64, by ...poisonMutator) poisonAttack {
	a.Turns = slices.Clone(a.Turns)
	for _, m := range by {
		a.ID += "+" + m.name
		dice := poisonDice(seed, a.ID)
		for i, turn := range a.Turns {
			switch {
			case turn.Honest:
			case m.spares:
				a.Turns[i].Text = around(turn.Text, a.Effect, func(s string) string { return m.rewrite(dice, s) })
			default:
				a.Turns[i].Text = m.rewrite(dice, turn.Text)
			}
		}
	}
	return a
}

func poisonDice(seed uint64, id string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// around rewrites what stands between the spared strings.
func around(s string, spared []string, f func(string) string) string {
	first, found := len(s), ""
	for _, effect := range spared {
		if i := strings.Index(s, effect); i >= 0 && i < first {
			first, found = i, effect
		}
	}
	if found == "" {
		return f(s)
	}
	return f(s[:first]) + found + around(s[first+len(found):], spared, f)
}

func TestPoisonMutants(t *testing.T) {
	racing.Alone(t)
	attacks, total := poisonAttacks(t), 0
	made := map[string]int{}
	for _, a := range attacks {
		mutants := a.mutants(1)
		assert.GreaterOrEqual(t, len(mutants), 20, a.ID)
		total += len(mutants)
		for _, m := range mutants {
			made[strings.Join(strings.Split(m.ID, "+")[1:], "+")]++
			require.Equal(t, a.Ceiling, m.ceiling(), m.ID)
			require.Len(t, m.Turns, len(a.Turns), m.ID)
			for i, turn := range m.Turns {
				if turn.Honest {
					require.Equal(t, a.Turns[i], turn, "%s changes what the victim said", m.ID)
				}
			}
		}
	}
	assert.GreaterOrEqual(t, total, 20*len(attacks))
	for _, m := range poisonMutators {
		assert.Greater(t, made[m.name], len(attacks)/2, "%s loses most attacks", m.name)
	}
	t.Logf("%d attacks, %d mutants", len(attacks), total)
}

func TestPoisonMutantsFollowTheSeed(t *testing.T) {
	a := poisonAttacks(t)[0]
	assert.Equal(t, a.mutants(7), a.mutants(7))
	assert.NotEqual(t, a.mutants(7), a.mutants(8))
}
