package consolidate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// tooLong refuses prompts that hold a text more often than so many times.
func tooLong(s *llmtest.Server, text string, most int) {
	s.On(func(r llmtest.Request) bool { return strings.Count(r.Prompt(), text) > most }, llmtest.Status(400, "This model's maximum context length is 2048 tokens"))
}

// What does not fit the model's context is asked about in parts.
func TestStagesOfASmallContext(t *testing.T) {
	for name, c := range map[string]struct {
		stage   consolidate.Stage
		prepare func(t *testing.T, db *schema.DB, s *llmtest.Server)
		counts  map[string]int
		want    []string // outcomes
	}{
		"conflict": {consolidate.Conflict{}, func(t *testing.T, db *schema.DB, s *llmtest.Server) {
			for i, thing := range []string{"Volvo", "Tesla", "scooter"} {
				claim(t, db, "The user drives a "+thing+".", "the user", "drives", "a "+thing, day(1, 1+i), drawn(t, db))
			}
			tooLong(s, `{"pair":`, 1)
			s.On(llmtest.Any, verdicts("compatible"))
		}, map[string]int{"compared": 3}, nil},
		"mentions": {consolidate.Entities{}, func(t *testing.T, db *schema.DB, s *llmtest.Server) {
			_, lund, _ := twoKarims(t, db)
			for range 2 {
				m := remember(t, db, ada, schema.Memory{Content: "Karim called.", Role: "user", Confidence: 1, Importance: 0.5})
				require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error { return tx.LinkEntity(ctx, m.ID, lund.ID, "Karim", 0.4) }))
			}
			tooLong(s, `{"mention":`, 1)
			s.On(llmtest.Contains(`{"mention":`), meant(1))
			s.On(llmtest.Any, summaries())
		}, map[string]int{"asked": 3, "summarised": 1}, []string{"mention applied", "mention applied", "mention applied"}},
		"summaries": {consolidate.Entities{}, func(t *testing.T, db *schema.DB, s *llmtest.Server) {
			for i := range 3 {
				people(t, db, person(fmt.Sprintf("Tideline %c", 'A'+i), 3))
			}
			tooLong(s, `{"entity":`, 1)
			s.On(llmtest.Any, summaries())
		}, map[string]int{"summarised": 3}, nil},
		"ratings": {consolidate.Rate{}, func(t *testing.T, db *schema.DB, s *llmtest.Server) {
			for i := range 3 {
				remember(t, db, ada, schema.Memory{Content: fmt.Sprint("Boat ", i, " has sailed."), Role: "user", Confidence: 1, Importance: 0.5, Origin: schema.OriginUser, Trust: 4})
			}
			tooLong(s, `"date":`, 1)
			s.On(llmtest.Any, llmtest.Text("7"))
		}, map[string]int{"rated": 3}, []string{"set_importance applied", "set_importance applied", "set_importance applied"}},
		"questions": {consolidate.Reflect{Threshold: 5}, func(t *testing.T, db *schema.DB, s *llmtest.Server) {
			diary(t, db)
			tooLong(s, `"date":`, 3)
			s.On(llmtest.Contains("high-level questions"), questions("Why does the user run?"))
			s.On(llmtest.Any, insights(insight("The user runs.", "r1", "r2")))
		}, map[string]int{"due": 1}, []string{"add_reflection applied"}},
		"insights": {consolidate.Reflect{Threshold: 5}, func(t *testing.T, db *schema.DB, s *llmtest.Server) {
			diary(t, db)
			tooLong(s, `{"question":`, 1)
			s.On(llmtest.Contains("high-level questions"), questions("Why does the user run?", "What of the office?"))
			s.On(llmtest.Contains("Why does"), insights(insight("The user runs.", "r1", "r2")))
			s.On(llmtest.Any, insights(insight("The office is loud.", "r1", "r2")))
		}, map[string]int{"due": 1}, []string{"add_reflection applied", "add_reflection applied"}},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			s := llmtest.New(t)
			c.prepare(t, db, s)
			report, err := runner(t, db, stages(c.stage), withModel(t, s)).Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, c.counts, report.Stages[0].Counts)
			require.Equal(t, c.want, statuses(report, report.Stages[0].Name))
		})
	}
}

// One entity about which the model gives no usable answer does not hold up the others.
func TestUnusableSummary(t *testing.T) {
	db, _ := aged(t)
	for i := range 5 {
		people(t, db, person(fmt.Sprintf("Tideline %c", 'A'+i), 3))
	}
	s := llmtest.New(t)
	s.On(llmtest.Contains("Tideline D"), llmtest.Text("No."))
	s.On(llmtest.Any, summaries())
	r := runner(t, db, stages(consolidate.Entities{}), withModel(t, s))
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"summarised": 4, "unusable": 1}, report.Stages[0].Counts)
	report, err = r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Zero(t, report.Usage.Calls)

	s = llmtest.New(t)
	s.On(llmtest.Any, llmtest.Text("No."))
	for i := range 16 {
		people(t, db, person(fmt.Sprintf("Shoreline %c", 'A'+i), 3))
	}
	report, err = runner(t, db, stages(consolidate.Entities{}), withModel(t, s)).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"unusable": 1}, report.Stages[0].Counts)
	require.Len(t, s.Requests(), 2*5, "a model at fault is not asked about each")
}

// Small models write numbers as texts, and one text in place of a list.
func TestNumbersWrittenAsTexts(t *testing.T) {
	db, _ := aged(t)
	diary(t, db)
	twoKarims(t, db)
	for i, thing := range []string{"Volvo", "Tesla"} {
		claim(t, db, "The user drives a "+thing+".", "the user", "drives", "a "+thing, day(1, 1+i), drawn(t, db))
	}
	people(t, db, person("Tideline", 3))
	s := llmtest.New(t)
	s.On(llmtest.Contains("high-level questions"), llmtest.JSON(map[string]any{"questions": "Why does the user run?"}))
	s.On(llmtest.Contains("draw insights"), insights(map[string]any{"question": "1", "text": "The user runs.", "importance": "9", "sources": []string{"r1", "r2"}}))
	s.On(llmtest.Contains(`{"pair":`), llmtest.JSON(map[string]any{"pairs": []any{map[string]any{"pair": "1", "relation": "compatible", "why": ""}}}))
	s.On(llmtest.Contains(`{"mention":`), llmtest.JSON(map[string]any{"mentions": []any{map[string]any{"mention": "1", "candidate": "2"}}}))
	s.On(llmtest.Contains(`{"entity":`), summaries("1", "Tideline"))
	r, err := consolidate.NewRunner(db, recall.New(db, recall.Options{}), consolidate.RunnerOptions{
		Model: s.LLM(t), Stages: []consolidate.Stage{consolidate.Conflict{}, consolidate.Entities{}, consolidate.Reflect{Threshold: 5}},
	})
	require.NoError(t, err)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Zero(t, report.Usage.Faults, report.Summary())
	require.Equal(t, []string{"add_reflection applied"}, statuses(report, "reflect"))
	require.Contains(t, statuses(report, "entities"), "mention applied")
}

// In a conversation of several, "I" is who speaks.
func TestInsightsOfOtherSpeakers(t *testing.T) {
	for name, c := range map[string]struct {
		speaker, role string
		want          string
	}{
		"the owner":             {"", "user", "add_reflection applied"},
		"the owner, by name":    {"Ada Lovelace", "user", "add_reflection applied"},
		"somebody else":         {"Tom", "user", "add_reflection quarantined a name, number or date of it does not occur in its sources"},
		"the assistant":         {"", "assistant", "add_reflection quarantined a name, number or date of it does not occur in its sources"},
		"an assistant, by name": {"Iris", "assistant", "add_reflection quarantined a name, number or date of it does not occur in its sources"},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			e := people(t, db, person("Dr Lind", 0))
			for i, line := range []string{"I was diagnosed with diabetes by Dr Lind.", "I measure my sugar each morning, as Dr Lind said.", "I see Dr Lind each month."} {
				m := said(t, db, "team", c.speaker, line, start.Add(time.Duration(i)*time.Hour), func(m *schema.Memory) {
					if m.Role = c.role; c.role == "assistant" {
						m.Origin, m.Trust = schema.OriginAssistant, 4
					}
				})
				require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
					return tx.LinkEntity(ctx, m.ID, e[0].ID, "Dr Lind", 0.9)
				}))
			}
			s := llmtest.New(t)
			s.On(llmtest.Contains("high-level questions"), questions("Who has diabetes?"))
			s.On(llmtest.Contains("draw insights"), insights(insight("Ada manages her diabetes.", "r1", "r2")))
			s.On(llmtest.Any, summaries(1, "Dr Lind treats Ada for diabetes."))
			reflect := consolidate.Reflect{Threshold: 1, Sessions: 1, Everyone: true}
			report, err := runner(t, db, stages(consolidate.Entities{}, reflect), withModel(t, s)).Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, []string{c.want}, statuses(report, "reflect"))
			require.Equal(t, strings.HasSuffix(c.want, "applied"), summariesIn(t, db)[0] != "", summariesIn(t, db))
		})
	}
}

// Code knows when a plan was made, a model when it begins.
func TestPlanKeepsItsBeginning(t *testing.T) {
	db, _ := aged(t)
	const sentence = "I will visit Rosa in June."
	turn := said(t, db, "a", "", sentence, start)
	plan := schema.Attributes{schema.AttrTemporal: schema.TemporalPlan, schema.AttrSaid: "claim"}
	known := claim(t, db, sentence, "the user", "will_visit", "Rosa", schema.At(start), func(m *schema.Memory) { m.Attributes = plan })
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error { return tx.AddSource(ctx, known.ID, turn.ID, sentence) }))
	s := llmtest.New(t)
	s.On(llmtest.Any, facts(claimed("The user will visit Rosa in June.", []string{"m1"}, sentence, set("predicate", "will_visit"), set("object", "Rosa"), set("type", "plan"), set("when", "in June"))))
	report, err := runner(t, db, stages(consolidate.Extract{}), withModel(t, s)).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, []string{"add_fact applied"}, statuses(report, "extract"))
	require.Equal(t, schema.StateSuperseded, reread(t, db, known).State)
	now := derivedOf(t, db)[1]
	require.Equal(t, "2026-06-01", now.ValidFrom.Format(time.DateOnly))
	require.True(t, now.EventTime.Equal(start))
}

// Claims of two mornings are two events, although less than 24 hours lie between them.
func TestEventsOfTwoMorningsStayApart(t *testing.T) {
	for _, c := range []struct {
		hours float64
		want  int
	}{{3, 1}, {23.5, 2}} {
		db, _ := aged(t)
		first := said(t, db, "a", "", "Ran along the river.", start)
		second := said(t, db, "b", "", "Ran along the river.", start.Add(time.Duration(c.hours*float64(time.Hour))))
		adding := stage{"adding", func(context.Context, *consolidate.Input) (all []consolidate.Proposal, err error) {
			for _, m := range []*schema.Memory{first, second} {
				all = append(all, consolidate.AddClaim{Claim: consolidate.Claim{
					Content: "The user ran along the river.", Kind: schema.KindFact, Attributes: schema.Attributes{schema.AttrTemporal: schema.TemporalEvent},
					Sources: []consolidate.Citation{{UID: m.UID}},
				}})
			}
			return all, nil
		}}
		_, err := runner(t, db, stages(adding)).Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Len(t, derivedOf(t, db), c.want, "%v hours", c.hours)
	}
}
