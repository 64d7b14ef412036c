package extension

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// What is no longer so ranks below the claim that holds instead, unless a time is
// asked about, and its score says why.
func TestCurrentRanksAboveSuperseded(t *testing.T) {
	l := newDiary(t)
	l.says("Life first. I live in Lisbon, up in Graça, on a street so steep that the postman takes a break outside my door.")
	l.now.Set(l.now.Now().AddDate(0, 1, 0))
	l.says("I've moved to Oslo.")
	l.now.Set(l.now.Now().AddDate(0, 0, 1))

	const question = "Where do I live, in Lisbon, up in Graça, on a steep street?"
	byScore, err := l.x.recall(t.Context(), dora, Query{Text: question, Wait: true})
	require.NoError(t, err)
	require.Contains(t, byScore.Results[0].Memory.Content, "Lisbon", "the old address has more of the question's words")

	answer, err := l.x.Recall(t.Context(), dora, Query{Text: question, Wait: true})
	require.NoError(t, err)
	require.Len(t, answer.Results, len(byScore.Results))
	var order []string
	for i, r := range answer.Results {
		require.Equal(t, i+1, r.Rank)
		sum := 0.0
		for _, s := range r.Signals {
			sum += s.Contribution()
		}
		require.InDelta(t, r.Score, sum, 1e-9)
		for _, place := range []string{"Oslo", "Lisbon"} {
			if strings.Contains(r.Memory.Content, place) {
				order = append(order, place)
			}
		}
	}
	require.Equal(t, "Oslo", order[0], order)
	session, err := l.x.Session(dora)
	require.NoError(t, err)
	for limit := 1; limit <= len(answer.Results); limit++ {
		for i, r := range answer.Results {
			why, err := session.Why(t.Context(), Query{Text: question, Limit: limit}, r.Memory.UID)
			require.NoError(t, err)
			limited, err := l.x.Recall(t.Context(), dora, Query{Text: question, Limit: limit, Wait: true})
			require.NoError(t, err)
			at := slices.IndexFunc(limited.Results, func(other Result) bool { return other.Memory.ID == r.Memory.ID })
			if at < 0 {
				require.Equal(t, limited.Results[limit-1].Memory.UID, why.Above.Memory.UID, "%d of limit %d", i, limit)
				continue
			}
			require.Equal(t, limited.Results[at], *why.Result, "%d of limit %d", i, limit)
			require.Equal(t, fmt.Sprintf("it is result %d of %d", at+1, limit), why.Reason)
		}
	}

	march := lexicon.PlanOf("Where did I live in March, in Lisbon, up in Graça?", l.now.Now())
	require.NotEmpty(t, march.Spans)
	for name, q := range map[string]Query{
		"a time asked about": {Text: question, Plan: &march, Wait: true},
		"another present":    {Text: question, AsOf: AsOf{Valid: time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)}, Wait: true},
	} {
		answer, err := l.x.Recall(t.Context(), dora, q)
		require.NoError(t, err)
		require.Contains(t, answer.Results[0].Memory.Content, "Lisbon", name)
	}
}

// Why has the order that the host's reranker made.
func TestWhyWithAReranker(t *testing.T) {
	l := newDiary(t, func(cfg *Config) {
		cfg.Ranking.Rerank = func(_ context.Context, _ string, memories []schema.Memory) ([]float64, error) {
			scores := make([]float64, len(memories))
			for i := range scores {
				scores[i] = float64(i) // the last first
			}
			return scores, nil
		}
	})
	for _, room := range []string{"kitchen", "cellar", "attic", "hall", "garage"} {
		l.says("The kettle whistles in the " + room + ".")
	}
	query := Query{Text: "Where does the kettle whistle?", Limit: 2, Kinds: []Kind{schema.KindEpisode}, Wait: true}
	answer, err := l.x.Recall(t.Context(), dora, query)
	require.NoError(t, err)
	query.Limit = 5
	all, err := l.x.Recall(t.Context(), dora, query)
	require.NoError(t, err)
	require.Len(t, all.Results, 5)
	query.Limit = 2
	session, err := l.x.Session(dora)
	require.NoError(t, err)
	for i, r := range all.Results {
		why, err := session.Why(t.Context(), query, r.Memory.UID)
		require.NoError(t, err)
		if i < 2 {
			require.Equal(t, answer.Results[i].Memory.UID, r.Memory.UID)
			require.Equal(t, recall.Returned, why.Outcome)
			require.Equal(t, fmt.Sprintf("it is result %d of 2", i+1), why.Reason)
		} else {
			require.Equal(t, recall.Outranked, why.Outcome, why.Reason)
			require.Equal(t, answer.Results[1].Memory.UID, why.Above.Memory.UID)
		}
	}
}

// What is over is marked, in the core section and among the records, unless another
// speaker said so.
func TestEndingsMarkWhatTheyEnd(t *testing.T) {
	l := newDiary(t)
	l.says("Our caravan is parked in Whitby, by the abbey.")
	l.says("The trip to Porto is from 12 to 16 May.")
	ask := func(question string) string {
		s, err := l.x.Session(dora)
		require.NoError(t, err)
		found, err := s.Preview(t.Context(), question)
		require.NoError(t, err)
		return found.Block
	}
	l.says("We sold the caravan.", eventbus.Speaker("Ada"))
	require.NotContains(t, ask("Where is our caravan?"), "no longer so")
	l.says("We sold the caravan, it went to a couple from Hull.")
	l.says("The trip to Porto is off.")
	require.Contains(t, ask("Where is our caravan?"), "- Tue Mar 3: Our caravan is parked in Whitby, by the abbey. (no longer so since 2026-03-06: We sold the caravan, it went to a couple from Hull.)")
	require.Contains(t, ask("When do we go to Porto?"), "- Wed Mar 4: The trip to Porto is from 12 to 16 May. (no longer so since 2026-03-07: The trip to Porto is off.)")

	found, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{schema.KindEpisode}})
	require.NoError(t, err)
	marks, err := l.x.Superseded(t.Context(), dora, found...)
	require.NoError(t, err)
	for _, m := range found {
		_, is := marks[m.UID]
		require.Equal(t, strings.Contains(m.Content, "Whitby") || strings.Contains(m.Content, "from 12"), is, m.Content)
	}
}

// The owner of the memory is one speaker, whether named in a message or not.
func TestEndingsOfTheOwnerByName(t *testing.T) {
	l := newDiary(t)
	stated, err := l.x.Remember(t.Context(), dora, "I have a piano in the living room.")
	require.NoError(t, err)
	l.says("Our caravan is parked in Whitby, by the abbey.", eventbus.Speaker("Dora"))
	l.says("I sold the piano.", eventbus.Speaker("Dora Klein"))
	l.says("We sold the caravan.")
	s, err := l.x.Session(dora)
	require.NoError(t, err)
	found, err := s.Preview(t.Context(), "What is in the living room and in Whitby?")
	require.NoError(t, err)
	require.Contains(t, found.Block, "I have a piano in the living room. (no longer so since 2026-03-04: I sold the piano.)")
	require.Contains(t, found.Block, "Our caravan is parked in Whitby, by the abbey. (no longer so since 2026-03-05: We sold the caravan.)")
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{})
	require.NoError(t, err)
	marks, err := l.x.Superseded(t.Context(), dora, append(records, stated.Memory)...)
	require.NoError(t, err)
	require.Contains(t, marks, stated.Memory.UID)
	for _, m := range records {
		_, is := marks[m.UID]
		require.Equal(t, strings.Contains(m.Content, "Whitby"), is && m.UID != stated.Memory.UID, m.Content)
	}
}

// Where a later line may have changed an earlier one, both stand with their days.
func TestTwoNumbersOfOneThingStandByDay(t *testing.T) {
	l := newDiary(t)
	l.says("Alarm at the shop is 4471.")
	l.says("My code for the bike shed is 7735.")
	l.says("Alarm code is 9083.")
	s, err := l.x.Session(dora)
	require.NoError(t, err)
	found, err := s.Preview(t.Context(), "What's the alarm code?")
	require.NoError(t, err)
	require.Contains(t, found.Block, "- Tue Mar 3: Alarm at the shop is 4471.\n- Wed Mar 4: My code for the bike shed is 7735.\n- Thu Mar 5: Alarm code is 9083.\n")
}

// A saved fact stands among what was said.
func TestNewerSavedNumberStandsBesideTheOlder(t *testing.T) {
	l := newDiary(t)
	l.says("Alarm at the shop is 4471.")
	l.says("Alarm at the shop is 9083.")
	l.tool("remember_fact", map[string]any{"content": "User's shop alarm is 9083"})
	section, err := l.x.coreSection(t.Context(), dora, coreRequest{question: "What is the capital of Peru?"})
	require.NoError(t, err)
	require.Contains(t, section.Text, "- Tue Mar 3: Alarm at the shop is 4471.\n- Wed Mar 4: Alarm at the shop is 9083.\n")
}

// What a model saves in its own words may not end what the user said, but both stand with their
// days, whatever the user is called.
func TestSavedFactsAndWhatTheyMayEndStandByDay(t *testing.T) {
	for name, c := range map[string]struct {
		speaker, said, later, fact string
	}{
		"no name":          {"", "I live in Lisbon.", "Porto now by the way, the boxes are unpacked", "User lives in Porto"},
		"a name":           {"Dora Klein", "I live in Lisbon.", "Porto now by the way, the boxes are unpacked", "Dora lives in Porto"},
		"another name":     {"Marta Klein", "I live in Lisbon.", "Porto now by the way, the boxes are unpacked", "User lives in Porto"},
		"by name":          {"Marta Klein", "I live in Lisbon.", "Porto now by the way, the boxes are unpacked", "Marta lives in Porto"},
		"in no word alike": {"", "I work as a nurse at the clinic.", "finally started at the bakery, first week done", "User works as a baker"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newDiary(t)
			var opts []eventbus.MessageOption
			if c.speaker != "" {
				opts = append(opts, eventbus.Speaker(c.speaker))
			}
			l.says(c.said, opts...)
			l.says(c.later, opts...)
			l.tool("remember_fact", map[string]any{"content": c.fact})
			section, err := l.x.coreSection(t.Context(), dora, coreRequest{question: "Where do I live and work?"})
			require.NoError(t, err)
			require.Contains(t, section.Text, "Mar 4: "+c.later+"\n")
			require.Contains(t, section.Text, "Mar 3: "+c.said+"\n")
		})
	}
}
