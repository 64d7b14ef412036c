package tools

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestReferences(t *testing.T) {
	for question, want := range map[string][]string{
		"What did research do in cycle 150?":   {"map[cycle:[150 150]] map[]"},
		"between cycles 12 and 19":             {"map[cycle:[12 19]] map[]"},
		"Cycles 12–19, please":                 {"map[cycle:[12 19]] map[]"},
		"what changed since cycle 90":          {fmt.Sprintf("map[cycle:[90 %d]] map[]", schema.MaxCycle)},
		"after cycle 90":                       {fmt.Sprintf("map[cycle:[91 %d]] map[]", schema.MaxCycle)},
		"before cycle 90":                      {"map[cycle:[1 89]] map[]"},
		"before cycle 1":                       nil,
		"until cycle 3":                        {"map[cycle:[1 3]] map[]"},
		"cycles 19 to 12":                      nil,
		"What is #139 about?":                  {"map[] map[issues:139]", "map[] map[prs:139]"},
		"who merged PR #59":                    {"map[] map[prs:59]", "map[] map[issues:59]"},
		"the life cycle 2.0":                   {"map[cycle:[2 2]] map[]"}, // it stands first and costs a place
		"recycle 5 bottles, a cycle of 7 days": nil,
	} {
		var got []string
		for _, c := range references(question, &schema.Conditions{Agent: "qa", Lacks: []string{"archive"}}) {
			require.Equal(t, "qa", c.Agent, "what the caller restricts itself holds")
			require.Empty(t, c.Lacks)
			got = append(got, fmt.Sprint(c.Between, c.Has))
		}
		require.Equal(t, want, got, question)
	}
	given := &schema.Conditions{Between: map[string][2]int64{"cycle": {1, 2}}, Has: map[string]string{"issues": "7"}}
	require.Empty(t, references("cycle 9, #8", given), "the caller has said which")
}

func TestRolesAsked(t *testing.T) {
	for question, want := range map[string][]string{
		"What did QA find in rc1?":          {"QA", "qa"},
		"has the CEO decided?":              {"CEO", "ceo"},
		"What is growth going to do next?":  {"growth"},
		"Where was front-end work tracked?": {"front-end"},
		"labels off again":                  nil,
		"did":                               nil,
	} {
		require.Equal(t, want, rolesAsked(question), question)
	}
}
