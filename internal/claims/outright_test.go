package claims

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatesOutright(t *testing.T) {
	for _, c := range []struct {
		sentence, predicate, object string
		want                        bool
	}{
		{"I moved to Oslo!", "lives_in", "Oslo", true},
		{"I’ve been living in Oslo since May.", "lives_in", "Oslo", true},
		{"We live in New York now.", "lives_in", "New York", true},
		{"I love Oslo.", "lives_in", "Oslo", false},
		{"My brother moved to Oslo.", "lives_in", "Oslo", false},
		{"Rosa moved to Oslo.", "lives_in", "Oslo", false},
		{"I would move to Oslo.", "lives_in", "Oslo", false},
		{"I don't live in Oslo.", "lives_in", "Oslo", false},
		{"Should I move to Oslo?", "lives_in", "Oslo", false},
		{"I moved to Oslo.", "lives_in", "Bergen", false},
		{"I moved to Oslo.", "owns", "Oslo", false},
		{"I moved to Oslo.", "lives_in", "", false},
		{"I started at Statoil in June, my new job.", "works_at", "Statoil", true},
		{"I saw Statoil's tower.", "works_at", "Statoil", false},
		{"I’ve just moved to Oslo.", "lives_in", "Oslo", true},
		{"I heard that Tom moved to Oslo.", "lives_in", "Oslo", false},
		{"My landlord moved to Oslo and I live alone.", "lives_in", "Oslo", false},
		{"My wife works at Statoil, I am proud.", "works_at", "Statoil", false},
		{"Tom said: “I moved to Oslo.”", "lives_in", "Oslo", false},
		{"I was living in Oslo back then.", "lives_in", "Oslo", false},
		{"I'm a nurse.", "works_as", "nurse", true},
		{"I was promoted to captain.", "works_as", "captain", true},
		{"I'm from Graz.", "home_town", "Graz", true},
		{"My email is a@b.example now.", "email", "a@b.example", true},
	} {
		require.Equal(t, c.want, StatesOutright(c.sentence, c.predicate, c.object), "%v", c)
	}
}
