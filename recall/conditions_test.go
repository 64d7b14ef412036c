package recall

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// What the conditions let through is found however much else matches better.
func TestConditionsFillLimit(t *testing.T) {
	db := open(t)
	entry := func(agent string, importance float64, attributes schema.Attributes, text string) {
		store(t, db, ada, "", &schema.Memory{
			Kind: schema.KindEpisode, Role: "assistant", Agent: agent, Content: text, EventTime: schema.At(noon), Confidence: 1, Importance: importance,
			Attributes: attributes, Origin: schema.OriginAssistant, Trust: 4,
		})
	}
	for i := range 400 { // twice what an arm hands on
		entry("ops", .3, schema.Attributes{"cycle": strconv.Itoa(i + 1), "issues": "9"}, fmt.Sprintf("The kettle release %d.", i))
	}
	entry("qa", .8, schema.Attributes{"cycle": "7", "issues": "19,9,91", "type": "decision"}, "Long ago, in another place, somebody looked at an old and rusty kettle and told nobody.")
	s := New(db, Options{Weights: withoutTopics()})
	for name, c := range map[string]struct {
		q    Query
		want int
	}{
		"none":       {Query{}, 200},
		"the query":  {Query{Agent: "qa"}, 1},
		"agent":      {Query{Where: &schema.Conditions{Agent: "qa"}}, 1},
		"two agents": {Query{Agent: "qa", Where: &schema.Conditions{Agent: "ops"}}, 0},
		"importance": {Query{Where: &schema.Conditions{MinImportance: 8.0 / 10}}, 1},
		"is":         {Query{Where: &schema.Conditions{Is: map[string]string{"type": "decision"}}}, 1},
		"has":        {Query{Where: &schema.Conditions{Has: map[string]string{"issues": "19"}}}, 1},
		"has a part": {Query{Where: &schema.Conditions{Has: map[string]string{"issues": "1"}}}, 0},
		"between":    {Query{Where: &schema.Conditions{Between: map[string][2]int64{"cycle": {7, 9}}}}, 4},
		"lacks":      {Query{Where: &schema.Conditions{Lacks: []string{"type"}, Between: map[string][2]int64{"cycle": {7, 7}}}}, 1},
		"kind":       {Query{Where: &schema.Conditions{Kind: schema.KindEpisode, Agent: "qa"}}, 1},
		"other kind": {Query{Where: &schema.Conditions{Kind: schema.KindFact}}, 0},
		"either":     {Query{Where: &schema.Conditions{AnyOf: [][]schema.Conditions{{{Agent: "qa"}, {Is: map[string]string{"cycle": "400"}}}}}}, 2},
		"and either": {Query{Where: &schema.Conditions{MinImportance: .8, AnyOf: [][]schema.Conditions{{{Agent: "qa"}, {Is: map[string]string{"cycle": "400"}}}}}}, 1},
		"both":       {Query{Where: &schema.Conditions{AnyOf: [][]schema.Conditions{{{Agent: "ops"}, {Agent: "qa"}}, {{Is: map[string]string{"type": "decision"}}, {Kind: schema.KindFact}}}}}, 1},
		"all":        {Query{Where: &schema.Conditions{Agent: "qa", MinImportance: .8, Is: map[string]string{"type": "decision"}, Has: map[string]string{"issues": "9"}, Between: map[string][2]int64{"cycle": {7, 7}}}}, 1},
	} {
		c.q.Text, c.q.Limit = "the kettle release", MaxLimit
		found := texts(search(t, s, c.q))
		require.Len(t, found, c.want, name)
		if c.want == 1 && name != "lacks" {
			require.True(t, strings.HasPrefix(found[0], "Long ago"), name)
		}
	}
	var invalid *schema.InvalidError
	for _, wrong := range []*schema.Conditions{{MinImportance: 2}, {Is: map[string]string{"$.x": "y"}}, {Lacks: []string{""}}, {Between: map[string][2]int64{"cycle": {2, 1}}},
		{AnyOf: [][]schema.Conditions{{}}}, {AnyOf: [][]schema.Conditions{{{Agent: "qa"}, {Given: []string{"a b"}}}}}} {
		_, err := s.Search(context.Background(), ada, Query{Text: "kettle", Where: wrong})
		require.ErrorAs(t, err, &invalid)
	}
}
