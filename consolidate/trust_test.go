package consolidate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

func from(origin schema.Origin, trust schema.Trust) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Origin, m.Trust = origin, trust }
}

// gullible answers every call with what the shown texts would like: a fact of
// each message, a question, an insight, a summary.
func gullible(t *testing.T) *llmtest.Server {
	t.Helper()
	s := llmtest.New(t)
	s.On(llmtest.Contains("high-level questions"), questions("Where does the ferry leave?"))
	s.On(llmtest.Contains("draw insights"), insights(insight("The ferry leaves from pier nine.", "r1", "r2")))
	s.On(llmtest.Contains("who or what it is, in one"), summaries(1, "Noor leaves from pier nine."))
	s.On(llmtest.Any, facts(claimed("The ferry leaves from pier nine.", []string{"m1"}, "The ferry leaves from pier nine")))
	return s
}

func TestNightsIgnoreUntrusted(t *testing.T) {
	for name, by := range map[string]func(*schema.Memory){
		"a tool": from(schema.OriginToolExternal, 1), "somebody": from(schema.OriginUnknown, 0),
		"an answer about a page": from(schema.OriginAssistant, 1), "a peer": from(schema.OriginFederation, 2),
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			for i := range 6 {
				said(t, db, fmt.Sprint("day ", i), "", "The ferry leaves from pier nine, Noor says.", start.Add(time.Duration(i)*time.Hour), by)
			}
			s := gullible(t)
			_, err := runner(t, db, withModel(t, s), stages(consolidate.Extract{}, consolidate.Entities{}, consolidate.Reflect{Threshold: 1})).
				Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Empty(t, derivedOf(t, db))
			require.Empty(t, someSummaries(t, db))
			for _, r := range s.Requests() {
				require.NotContains(t, r.Prompt(), "pier nine", "no model reads it at night")
			}
		})
	}
	t.Run("but from an import", func(t *testing.T) {
		db, _ := aged(t)
		said(t, db, "day", "", "The ferry leaves from pier nine, Noor says.", start, from(schema.OriginImport, 1))
		_, err := runner(t, db, withModel(t, gullible(t)), stages(consolidate.Extract{})).Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Len(t, derivedOf(t, db), 1)
		require.Equal(t, schema.Trust(1), derivedOf(t, db)[0].Trust)
	})
}

func someSummaries(t *testing.T, db *schema.DB) (all []string) {
	t.Helper()
	for _, s := range summariesIn(t, db) {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

func aliasesIn(t *testing.T, db *schema.DB) (all []string) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.NewRaw("SELECT alias FROM entity_aliases UNION SELECT name FROM entities ORDER BY 1").Scan(ctx, &all)
	}))
	return all
}

// Other sources cannot rename an entity that the user named, neither before nor after.
func TestUntrustedAliasesAreSeparate(t *testing.T) {
	const theirs = "We met Noor, also known as Peregrine, at the harbour."
	const mine = "We met Noor at the harbour."
	for name, by := range map[string]func(*schema.Memory){
		"a tool": from(schema.OriginToolExternal, 1), "a peer": from(schema.OriginFederation, 2), "a tool of the host's": from(schema.OriginToolInternal, 3),
		"an import": from(schema.OriginImport, 1),
	} {
		t.Run(name+" later", func(t *testing.T) {
			db, _ := aged(t)
			said(t, db, "s", "", mine, start)
			said(t, db, "t", "", theirs, start, by)
			require.NotContains(t, aliasesIn(t, db), "peregrine of noor")
			require.NotContains(t, aliasesOf(t, db, "noor"), "peregrine")
		})
		if name == "an import" {
			continue // it is the user's own past, and speaks for itself until the user does
		}
		t.Run(name+" before", func(t *testing.T) {
			db, _ := aged(t)
			said(t, db, "t", "", theirs, start, by)
			said(t, db, "s", "", mine, start)
			require.NotContains(t, aliasesOf(t, db, "noor"), "peregrine")
		})
	}
	db, _ := aged(t)
	said(t, db, "t", "", theirs, start)
	require.Contains(t, aliasesOf(t, db, "noor"), "peregrine", "the user may")
}

func aliasesOf(t *testing.T, db *schema.DB, name string) (all []string) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.NewRaw("SELECT a.alias FROM entity_aliases a WHERE a.entity_id IN (SELECT entity_id FROM entity_aliases WHERE alias = ?)", name).Scan(ctx, &all)
	}))
	return all
}

func TestEntitiesOfTwoTrustLevelsAreProposed(t *testing.T) {
	db, _ := aged(t)
	e := people(t, db, person("Karim Haddad", 2), person("Karim Haddad", 0))
	stranger := remember(t, db, ada, schema.Memory{Content: "Karim Haddad banks elsewhere now.", Confidence: 1, Role: "tool", Origin: schema.OriginToolExternal, Trust: 1})
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.LinkEntity(ctx, stranger.ID, e[1].ID, "Karim Haddad", 0.9)
	}))
	report, err := runner(t, db, stages(consolidate.Entities{})).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, "waiting", string(report.Stages[0].Outcomes[0].Status))
}

func TestSummaryIgnoresUntrustedIfUserSpoke(t *testing.T) {
	db, _ := aged(t)
	e := people(t, db, person("Noor", 2))
	for range 40 {
		m := remember(t, db, ada, schema.Memory{Content: "Noor leaves from pier nine.", Confidence: 1, Role: "user", Importance: 0.5, Origin: schema.OriginImport, Trust: 1})
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			return tx.LinkEntity(ctx, m.ID, e[0].ID, "Noor", 0.9)
		}))
	}
	s := gullible(t)
	_, err := runner(t, db, withModel(t, s), stages(consolidate.Entities{})).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.NotEmpty(t, s.Requests())
	require.NotContains(t, s.Requests()[0].Prompt(), "pier nine")
	require.Empty(t, someSummaries(t, db))
}

func TestQuarantinedDoesNotBlockClaims(t *testing.T) {
	db, _ := aged(t)
	remember(t, db, ada, schema.Memory{
		Kind: schema.KindFact, Content: "The ferry leaves from pier nine.", Confidence: 0.5, Origin: schema.OriginToolExternal, Trust: 1, State: schema.StateQuarantined,
	})
	said(t, db, "s", "", "The ferry leaves from pier nine, I was there.", start)
	_, err := runner(t, db, withModel(t, gullible(t)), stages(consolidate.Extract{})).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	all := derivedOf(t, db)
	require.Len(t, all, 2)
	require.Equal(t, schema.StateActive, all[1].State)
	require.Equal(t, schema.MaxTrust, all[1].Trust)
}

// One voice, however often it speaks, makes nothing surer.
func TestRepetitionByOneSource(t *testing.T) {
	tool := func(name string) func(*schema.Memory) {
		return func(m *schema.Memory) {
			m.Origin, m.Trust, m.Attributes = schema.OriginToolInternal, 3, schema.Attributes{"tool": name}
		}
	}
	for name, c := range map[string]struct {
		session, content string
		change           []func(*schema.Memory)
		surer            bool
	}{
		"the same conversation":            {"one", "As I said, the ferry leaves from pier nine.", nil, false},
		"the same tool elsewhere":          {"two", "Still: the ferry leaves from pier nine.", []func(*schema.Memory){tool("mail")}, false},
		"the same text elsewhere":          {"two", "The ferry leaves from pier nine.", []func(*schema.Memory){from(schema.OriginImport, 1)}, false},
		"another tool":                     {"two", "Still: the ferry leaves from pier nine.", []func(*schema.Memory){tool("calendar")}, true},
		"the user in another conversation": {"two", "Yes, the ferry leaves from pier nine.", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			first := said(t, db, "one", "", "The ferry leaves from pier nine.", start, tool("mail"))
			second := said(t, db, c.session, "", c.content, start.Add(time.Hour), c.change...)
			fact := remember(t, db, ada, schema.Memory{Kind: schema.KindFact, Content: "The ferry leaves from pier nine.", Confidence: 0.5, Origin: schema.OriginToolInternal, Trust: 3})
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				if err := tx.AddSource(ctx, fact.ID, first.ID, ""); err != nil {
					return err
				}
				_, err := tx.Reinforce(ctx, fact, second, "", 1, schema.Actor{Name: "night"})
				return err
			}))
			require.Equal(t, c.surer, derivedOf(t, db)[0].Confidence > 0.5)
		})
	}
}
