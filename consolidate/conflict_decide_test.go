package consolidate

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/schema"
)

var (
	may  = schema.At(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
	june = schema.At(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	july = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
)

// resident returns a claim about where the user lives, modified by changes.
func resident(id int64, town string, since schema.Time, changes ...func(*party)) *party {
	p := &party{Memory: &schema.Memory{
		ID: id, UID: fmt.Sprint(id), Kind: schema.KindFact, State: schema.StateActive, Content: "The user lives in " + town + ".",
		Subject: "the user", Predicate: "lives_in", Object: town, ValidFrom: since, EventTime: since, Origin: schema.OriginUser, Trust: schema.MaxTrust,
	}, said: since.Time, outright: true}
	for _, f := range changes {
		f(p)
	}
	return p
}

func TestDecide(t *testing.T) {
	type change = func(*party)
	protected := func(p *party) { p.Protected = true }
	pinned := func(p *party) { p.Pinned = true }
	guarded := func(p *party) { p.guarded = true }
	trust := func(level schema.Trust, o schema.Origin) change {
		return func(p *party) { p.Trust, p.Origin = level, o }
	}
	drawn := func(p *party) { p.RunID, p.outright = 7, false }
	outright := func(p *party) { p.outright = true }
	since := func(at schema.Time) change { return func(p *party) { p.ValidFrom = at } }
	said := func(at time.Time) change { return func(p *party) { p.said = at } }
	state := func(s schema.State) change { return func(p *party) { p.State = s } }
	predicate := func(s string) change { return func(p *party) { p.Predicate = s } }
	text := func(content, object string) change { return func(p *party) { p.Content, p.Object = content, object } }
	all := func(list ...change) change {
		return func(p *party) {
			for _, f := range list {
				f(p)
			}
		}
	}
	planned := func(p *party) { p.Attributes = schema.Attributes{schema.AttrTemporal: string(Plan)} }
	same := text("The user lives in Oslo now.", "Oslo")
	keep := func(*party) {}
	for _, c := range []struct {
		name           string
		relation       Relation
		byModel        bool
		earlier, later change
		want           verb
	}{
		{"told twice", RelationUpdate, false, keep, keep, supersede},
		{"told, then a model's verdict", RelationUpdate, true, keep, keep, flag},
		{"drawn, then told", RelationUpdate, false, drawn, keep, supersede},
		{"drawn twice, a model's verdict", RelationUpdate, true, drawn, drawn, supersede},
		{"told, then drawn from what was said outright", RelationUpdate, false, keep, all(drawn, outright), supersede},
		{"told, then drawn by a conclusion", RelationUpdate, false, keep, drawn, flag},
		{"another wording of the predicate", RelationUpdate, false, predicate("Resides in"), predicate("moved to"), supersede},
		{"another predicate", RelationUpdate, true, drawn, all(drawn, predicate("works_at")), flag},
		{"another subject", RelationUpdate, true, drawn, all(drawn, func(p *party) { p.Subject = "Rosa" }), flag},
		{"no subject", RelationUpdate, true, all(drawn, func(p *party) { p.Subject = "" }), all(drawn, func(p *party) { p.Subject = "" }), flag},
		{"one more of many, says a model", RelationUpdate, true, all(drawn, predicate("likes")), all(drawn, predicate("likes")), flag},
		{"one of few, says a model", RelationUpdate, true, all(drawn, predicate("drives")), all(drawn, predicate("drives")), supersede},

		{"protected", RelationUpdate, false, protected, keep, flag},
		{"pinned", RelationUpdate, false, pinned, keep, flag},
		{"of a protected entity", RelationUpdate, false, guarded, keep, flag},
		{"by a protected one", RelationUpdate, false, keep, protected, supersede},
		{"less trusted", RelationUpdate, false, keep, trust(3, schema.OriginToolInternal), flag},
		{"as trusted, but not the user's own", RelationUpdate, false, keep, trust(4, schema.OriginAssistant), flag},
		{"more trusted", RelationUpdate, false, trust(1, schema.OriginImport), keep, supersede},
		{"nobody is trusted", RelationUpdate, false, trust(1, schema.OriginImport), trust(1, schema.OriginImport), supersede},

		{"at the same time", RelationUpdate, false, since(june), keep, flag},
		{"said before the other", RelationUpdate, false, said(july), keep, flag},
		{"not yet", RelationUpdate, false, keep, since(schema.At(july.AddDate(0, 1, 0))), leave},
		{"only planned, says a model", RelationUpdate, true, drawn, all(drawn, planned), leave},
		{"planned otherwise, says a model", RelationUpdate, true, all(drawn, planned), all(drawn, planned), supersede},
		{"ended since", RelationUpdate, false, keep, state(schema.StateSuperseded), supersede},
		{"ended since, says a model", RelationUpdate, true, drawn, state(schema.StateSuperseded), leave},
		{"ended since, not to be touched", RelationUpdate, false, protected, state(schema.StateSuperseded), leave},
		{"is over", RelationUpdate, false, state(schema.StateSuperseded), keep, leave},
		{"quarantined", RelationUpdate, false, keep, state(schema.StateQuarantined), leave},
		{"retired", RelationContradiction, true, keep, state(schema.StateRetired), leave},
		{"dormant", RelationUpdate, false, state(schema.StateDormant), keep, supersede},
		{"an episode", RelationContradiction, true, keep, func(p *party) { p.Kind = schema.KindEpisode }, leave},

		{"contradiction", RelationContradiction, true, keep, keep, flag},
		{"contradiction of a protected one", RelationContradiction, true, protected, keep, flag},
		{"compatible", RelationCompatible, true, keep, keep, leave},

		{"said twice", RelationSame, false, same, same, merge},
		{"drawn twice, says a model", RelationSame, true, all(same, drawn), all(same, drawn), merge},
		{"told twice, says a model", RelationSame, true, same, same, leave},
		{"drawn and told, says a model", RelationSame, true, all(same, drawn), same, merge},
		{"told and drawn, says a model", RelationSame, true, same, all(same, drawn), leave},
		{"another town, says a model", RelationSame, true, drawn, drawn, leave},
		{"denied, says a model", RelationSame, true, all(same, drawn), all(drawn, text("The user does not live in Oslo.", "Oslo")), leave},
		{"protected twice", RelationSame, false, all(same, protected), all(same, protected), leave},
		{"the lighter one is protected", RelationSame, false, same, all(same, trust(1, schema.OriginImport), protected), leave},
		{"the heavier one is protected", RelationSame, false, all(same, protected), all(same, trust(1, schema.OriginImport)), merge},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := resident(1, "Lisbon", may, c.earlier), resident(2, "Oslo", june, c.later)
			got := decide(c.relation, c.byModel, a, b, july)
			require.Equal(t, c.want, got.verb, got.reason)
			require.Equal(t, got, decide(c.relation, c.byModel, b, a, july), "whichever comes first")
			require.Equal(t, got.verb == supersede || got.verb == merge, got.reason == "")
			if got.verb == supersede {
				require.Same(t, a, got.old)
			}
		})
	}
}

func TestDecideKeepsProtected(t *testing.T) {
	states := []schema.State{schema.StateActive, schema.StateDormant, schema.StateQuarantined, schema.StateSuperseded, schema.StateRetired}
	origins := []schema.Origin{schema.OriginUser, schema.OriginToolInternal, schema.OriginAssistant, schema.OriginImport, schema.OriginUnknown}
	draw := func(t *rapid.T, id int64) *party {
		origin := rapid.SampledFrom(origins).Draw(t, "origin")
		p := resident(id, rapid.SampledFrom([]string{"Lisbon", "Oslo", "Norway"}).Draw(t, "town"),
			schema.At(july.AddDate(0, 0, rapid.IntRange(-3, 1).Draw(t, "since"))))
		p.Predicate = rapid.SampledFrom([]string{"lives_in", "moved_to", "likes", "drives", ""}).Draw(t, "predicate")
		p.State, p.Origin, p.Trust = rapid.SampledFrom(states).Draw(t, "state"), origin, schema.Trust(rapid.IntRange(0, int(origin.Ceiling())).Draw(t, "trust"))
		p.Protected, p.Pinned, p.guarded = rapid.Bool().Draw(t, "protected"), rapid.Bool().Draw(t, "pinned"), rapid.Bool().Draw(t, "guarded")
		p.RunID, p.outright = int64(rapid.IntRange(0, 1).Draw(t, "run")), rapid.Bool().Draw(t, "outright")
		p.said = july.AddDate(0, 0, rapid.IntRange(-3, 1).Draw(t, "said"))
		return p
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 1), draw(t, 2)
		byModel := rapid.Bool().Draw(t, "by model")
		got := decide(rapid.SampledFrom(relations).Draw(t, "relation"), byModel, a, b, july)
		switch got.verb {
		case supersede, merge:
			require.False(t, got.old.isProtected())
			require.True(t, got.old.current())
			require.LessOrEqual(t, got.old.Trust, got.kept.Trust)
			require.False(t, got.old.Origin == schema.OriginUser && got.kept.Origin != schema.OriginUser && got.old.Trust == got.kept.Trust)
			require.False(t, byModel && got.old.statedByUser(), "no model ends what the user stated")
			if got.verb == supersede {
				require.False(t, got.kept.ValidFrom.Before(got.old.ValidFrom.Time))
			}
		case flag:
			require.True(t, a.current() && b.current())
		case leave:
			require.NotEmpty(t, got.reason)
		}
	})
}

func TestExclusive(t *testing.T) {
	for _, c := range []struct {
		predicate, a, b string
		want            bool
	}{
		{"lives_in", "Oslo", "Lisbon", true},
		{"lives_in", "Oslo", "oslo ", false},
		{"lives_in", "Oslo", "Oslo, Norway", false},
		{"lives_in", "Oslo", "Norway", false}, // one may lie in the other
		{"lives_in", "Portugal", "the Netherlands", true},
		{"lives_in", "San Francisco", "California", false},
		{"lives_in", "Oslo", "a small flat", false},
		{"lives_in", "東京", "大阪", true},
		{"works_at", "Acme", "Globex", true},
		{"works_at", "Acme", "Acme Corporation", false},
		{"works_at", "Acme Tools", "Acme Corporation", false},
		{"works_at", "Acme", "a bank", false},
		{"works_as", "nurse", "teacher", true},
		{"works_as", "nurse", "night nurse", false},
		{"phone", "+47 22 33 44 55", "+47-22-33-44-55", false},
		{"phone", "+47 22 33 44 55", "+47 22 33 44 56", true},
		{"birthday", "3 May", "3 May 1990", false},
		{"birthday", "3 May", "4 May", true},
		{"likes", "tea", "coffee", false},
		{"lived_in", "Oslo", "Lisbon", false}, // both are over
		{"lives_in", "", "Lisbon", false},
	} {
		a := &schema.Memory{Predicate: c.predicate, Object: c.a}
		b := &schema.Memory{Predicate: c.predicate, Object: c.b}
		require.Equal(t, c.want, exclusive(a, b), "%s %q %q", c.predicate, c.a, c.b)
		require.Equal(t, c.want, exclusive(b, a))
		planned := &schema.Memory{Predicate: c.predicate, Object: c.b, Attributes: schema.Attributes{schema.AttrTemporal: string(Plan)}}
		require.False(t, exclusive(a, planned), "a plan excludes nothing")
		denied := &schema.Memory{Predicate: c.predicate, Object: c.b, Content: "The user does not live there."}
		require.False(t, exclusive(a, denied), "what is denied excludes nothing")
	}
}

func TestCanonicalPredicates(t *testing.T) {
	for said, want := range map[string]string{
		"lives_in": "lives_in", "Lives in": "lives_in", "resides_in": "lives_in", "moved to": "lives_in", "lived_in": "lived_in",
		"used_to_work_at": "used_to_work_at", "employer": "works_at", "job title": "works_as", "Likes": "likes", "": "",
	} {
		require.Equal(t, want, claims.Predicate(said))
	}
	for name := range functional {
		require.Equal(t, name, claims.Predicate(name))
		require.False(t, additive[name], name)
	}
	for word := range additive {
		require.Equal(t, word, claims.Predicate(word), "%s is both functional and additive", word)
	}
}
