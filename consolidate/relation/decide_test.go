package relation

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
func resident(id int64, town string, since schema.Time, changes ...func(*Party)) *Party {
	p := &Party{Memory: &schema.Memory{
		ID: id, UID: fmt.Sprint(id), Kind: schema.KindFact, State: schema.StateActive, Content: "The user lives in " + town + ".",
		Subject: "the user", Predicate: "lives_in", Object: town, ValidFrom: since, EventTime: since, Origin: schema.OriginUser, Trust: schema.MaxTrust,
	}, Said: since.Time, Outright: true}
	for _, f := range changes {
		f(p)
	}
	return p
}

func TestDecide(t *testing.T) {
	type change = func(*Party)
	protected := func(p *Party) { p.Protected = true }
	pinned := func(p *Party) { p.Pinned = true }
	guarded := func(p *Party) { p.Guarded = true }
	trust := func(level schema.Trust, o schema.Origin) change {
		return func(p *Party) { p.Trust, p.Origin = level, o }
	}
	drawn := func(p *Party) { p.RunID, p.Outright = 7, false }
	outright := func(p *Party) { p.Outright = true }
	since := func(at schema.Time) change { return func(p *Party) { p.ValidFrom = at } }
	said := func(at time.Time) change { return func(p *Party) { p.Said = at } }
	state := func(s schema.State) change { return func(p *Party) { p.State = s } }
	predicate := func(s string) change { return func(p *Party) { p.Predicate = s } }
	text := func(content, object string) change { return func(p *Party) { p.Content, p.Object = content, object } }
	all := func(list ...change) change {
		return func(p *Party) {
			for _, f := range list {
				f(p)
			}
		}
	}
	planned := func(p *Party) { p.Attributes = schema.Attributes{schema.AttrTemporal: schema.TemporalPlan} }
	of := func(project string) change {
		return func(p *Party) { p.Attributes = schema.Attributes{schema.AttrProject: project} }
	}
	same := text("The user lives in Oslo now.", "Oslo")
	keep := func(*Party) {}
	for _, c := range []struct {
		name           string
		relation       Kind
		byModel        bool
		earlier, later change
		want           Verb
	}{
		{"told twice", Update, false, keep, keep, Supersede},
		{"told, then a model's verdict", Update, true, keep, keep, Flag},
		{"drawn, then told", Update, false, drawn, keep, Supersede},
		{"drawn twice, a model's verdict", Update, true, drawn, drawn, Supersede},
		{"told, then drawn from what was said outright", Update, false, keep, all(drawn, outright), Supersede},
		{"told, then drawn by a conclusion", Update, false, keep, drawn, Flag},
		{"another wording of the predicate", Update, false, predicate("Resides in"), predicate("moved to"), Supersede},
		{"another predicate", Update, true, drawn, all(drawn, predicate("works_at")), Flag},
		{"another subject", Update, true, drawn, all(drawn, func(p *Party) { p.Subject = "Rosa" }), Flag},
		{"of one project", Update, false, of("alpha"), of("alpha"), Supersede},
		{"of two projects", Update, false, of("alpha"), of("beta"), Leave},
		{"of a project and of the user", Update, true, drawn, all(drawn, of("beta")), Leave},
		{"no subject", Update, true, all(drawn, func(p *Party) { p.Subject = "" }), all(drawn, func(p *Party) { p.Subject = "" }), Flag},
		{"one more of many, says a model", Update, true, all(drawn, predicate("likes")), all(drawn, predicate("likes")), Flag},
		{"one of few, says a model", Update, true, all(drawn, predicate("drives")), all(drawn, predicate("drives")), Supersede},

		{"protected", Update, false, protected, keep, Flag},
		{"pinned", Update, false, pinned, keep, Flag},
		{"of a protected entity", Update, false, guarded, keep, Flag},
		{"by a protected one", Update, false, keep, protected, Supersede},
		{"less trusted", Update, false, keep, trust(3, schema.OriginToolInternal), Flag},
		{"as trusted, but not the user's own", Update, false, keep, trust(4, schema.OriginAssistant), Flag},
		{"more trusted", Update, false, trust(1, schema.OriginImport), keep, Supersede},
		{"nobody is trusted", Update, false, trust(1, schema.OriginImport), trust(1, schema.OriginImport), Supersede},

		{"at the same time", Update, false, since(june), keep, Flag},
		{"said before the other", Update, false, said(july), keep, Flag},
		{"not yet", Update, false, keep, since(schema.At(july.AddDate(0, 1, 0))), Leave},
		{"only planned, says a model", Update, true, drawn, all(drawn, planned), Leave},
		{"planned otherwise, says a model", Update, true, all(drawn, planned), all(drawn, planned), Supersede},
		{"ended since", Update, false, keep, state(schema.StateSuperseded), Supersede},
		{"ended since, says a model", Update, true, drawn, state(schema.StateSuperseded), Leave},
		{"ended since, not to be touched", Update, false, protected, state(schema.StateSuperseded), Leave},
		{"is over", Update, false, state(schema.StateSuperseded), keep, Leave},
		{"quarantined", Update, false, keep, state(schema.StateQuarantined), Leave},
		{"retired", Contradiction, true, keep, state(schema.StateRetired), Leave},
		{"dormant", Update, false, state(schema.StateDormant), keep, Supersede},
		{"an episode", Contradiction, true, keep, func(p *Party) { p.Kind = schema.KindEpisode }, Leave},

		{"contradiction", Contradiction, true, keep, keep, Flag},
		{"contradiction of a protected one", Contradiction, true, protected, keep, Flag},
		{"compatible", Compatible, true, keep, keep, Leave},

		{"said twice", Same, false, same, same, Merge},
		{"drawn twice, says a model", Same, true, all(same, drawn), all(same, drawn), Merge},
		{"told twice, says a model", Same, true, same, same, Leave},
		{"drawn and told, says a model", Same, true, all(same, drawn), same, Merge},
		{"told and drawn, says a model", Same, true, same, all(same, drawn), Leave},
		{"another town, says a model", Same, true, drawn, drawn, Leave},
		{"denied, says a model", Same, true, all(same, drawn), all(drawn, text("The user does not live in Oslo.", "Oslo")), Leave},
		{"protected twice", Same, false, all(same, protected), all(same, protected), Leave},
		{"the lighter one is protected", Same, false, same, all(same, trust(1, schema.OriginImport), protected), Leave},
		{"the heavier one is protected", Same, false, all(same, protected), all(same, trust(1, schema.OriginImport)), Merge},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := resident(1, "Lisbon", may, c.earlier), resident(2, "Oslo", june, c.later)
			got := Decide(c.relation, c.byModel, a, b, july)
			require.Equal(t, c.want, got.Verb, got.Reason)
			require.Equal(t, got, Decide(c.relation, c.byModel, b, a, july), "whichever comes first")
			require.Equal(t, got.Verb == Supersede || got.Verb == Merge, got.Reason == "")
			if got.Verb == Supersede {
				require.Same(t, a, got.Old)
			}
		})
	}
}

func TestDecideKeepsProtected(t *testing.T) {
	states := []schema.State{schema.StateActive, schema.StateDormant, schema.StateQuarantined, schema.StateSuperseded, schema.StateRetired}
	origins := []schema.Origin{schema.OriginUser, schema.OriginToolInternal, schema.OriginAssistant, schema.OriginImport, schema.OriginUnknown}
	draw := func(t *rapid.T, id int64) *Party {
		origin := rapid.SampledFrom(origins).Draw(t, "origin")
		p := resident(id, rapid.SampledFrom([]string{"Lisbon", "Oslo", "Norway"}).Draw(t, "town"),
			schema.At(july.AddDate(0, 0, rapid.IntRange(-3, 1).Draw(t, "since"))))
		p.Predicate = rapid.SampledFrom([]string{"lives_in", "moved_to", "likes", "drives", ""}).Draw(t, "predicate")
		p.State, p.Origin, p.Trust = rapid.SampledFrom(states).Draw(t, "state"), origin, schema.Trust(rapid.IntRange(0, int(origin.Ceiling())).Draw(t, "trust"))
		p.Protected, p.Pinned, p.Guarded = rapid.Bool().Draw(t, "protected"), rapid.Bool().Draw(t, "pinned"), rapid.Bool().Draw(t, "guarded")
		p.RunID, p.Outright = int64(rapid.IntRange(0, 1).Draw(t, "run")), rapid.Bool().Draw(t, "outright")
		p.Said = july.AddDate(0, 0, rapid.IntRange(-3, 1).Draw(t, "said"))
		return p
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 1), draw(t, 2)
		byModel := rapid.Bool().Draw(t, "by model")
		got := Decide(rapid.SampledFrom(Kinds).Draw(t, "relation"), byModel, a, b, july)
		switch got.Verb {
		case Supersede, Merge:
			require.False(t, got.Old.IsProtected())
			require.True(t, got.Old.Current())
			require.LessOrEqual(t, got.Old.Trust, got.Kept.Trust)
			require.False(t, got.Old.Origin == schema.OriginUser && got.Kept.Origin != schema.OriginUser && got.Old.Trust == got.Kept.Trust)
			require.False(t, byModel && got.Old.StatedByUser(), "no model ends what the user stated")
			if got.Verb == Supersede {
				require.False(t, got.Kept.ValidFrom.Before(got.Old.ValidFrom.Time))
			}
		case Flag:
			require.True(t, a.Current() && b.Current())
		case Leave:
			require.NotEmpty(t, got.Reason)
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
		require.Equal(t, c.want, Exclusive(a, b), "%s %q %q", c.predicate, c.a, c.b)
		require.Equal(t, c.want, Exclusive(b, a))
		planned := &schema.Memory{Predicate: c.predicate, Object: c.b, Attributes: schema.Attributes{schema.AttrTemporal: schema.TemporalPlan}}
		require.False(t, Exclusive(a, planned), "a plan excludes nothing")
		denied := &schema.Memory{Predicate: c.predicate, Object: c.b, Content: "The user does not live there."}
		require.False(t, Exclusive(a, denied), "what is denied excludes nothing")
	}
}

// What one has also, or for a part of the week, ends nothing.
func TestBesideExcludesNothing(t *testing.T) {
	for _, c := range []struct {
		predicate, a, b string
		want            bool
	}{
		{"lives_in", "I live in A.", "I live in B.", true},
		{"lives_in", "I live in A.", "I live in B, it's too cold in A.", true},
		{"lives_in", "I live in A.", "I also live in B.", false},
		{"lives_in", "I live in A during the week.", "At weekends I live in B.", false},
		{"works_at", "I work at A.", "I work at B two evenings a week.", false},
		{"works_at", "I work at A.", "I work at B, too.", false},
		{"works_as", "The user is an A.", "The user is also a B.", false},
		{"lives_in", "Ich wohne in A.", "Ich wohne in B.", true},
		{"lives_in", "Ich wohne in A.", "Am Wochenende wohne ich in B.", false},
		{"works_at", "Trabajo en A.", "También trabajo en B.", false},
		{"works_at", "我在A上班。", "我也在B上班。", false},
		{"email", "My email is A.", "My email is also B.", false},
		{"birthday", "My birthday is A, also Kim's.", "My birthday is B.", true},
	} {
		a := &schema.Memory{Predicate: c.predicate, Object: "A", Content: c.a}
		b := &schema.Memory{Predicate: c.predicate, Object: "B", Content: c.b}
		require.Equal(t, c.want, Exclusive(a, b), "%s / %s", c.a, c.b)
		require.Equal(t, c.want, Exclusive(b, a))
	}
}

func TestCanonicalPredicates(t *testing.T) {
	for said, want := range map[string]string{
		"lives_in": "lives_in", "Lives in": "lives_in", "resides_in": "lives_in", "moved to": "lives_in", "lived_in": "lived_in",
		"used_to_work_at": "used_to_work_at", "employer": "works_at", "job title": "works_as", "Likes": "likes", "": "",
	} {
		require.Equal(t, want, claims.Predicate(said))
	}
	for name := range Functional {
		require.Equal(t, name, claims.Predicate(name))
		require.False(t, Additive[name], name)
	}
	for word := range Additive {
		require.Equal(t, word, claims.Predicate(word), "%s is both functional and additive", word)
	}
}

// A work address does not end a private one; which holds is left to the model.
func TestContactsOfDifferentUses(t *testing.T) {
	for _, c := range []struct {
		predicate, a, b string
		want            bool
	}{
		{"email", "The user's email is %s.", "The user's new email is %s.", true},
		{"email", "The user's work email is %s.", "The user's work email is %s now.", true},
		{"email", "The user's work email is %s.", "The user's private email is %s.", false},
		{"email", "The user's email is %s.", "The user's work email is %s.", false},
		{"email_address", "Die Arbeitsadresse ist %s.", "Die private Adresse ist %s.", false},
		{"email", "El correo del trabajo es %s.", "El correo personal es %s.", false},
		{"email", "用户的工作邮箱是%s。", "用户的私人邮箱是%s。", false},
		{"phone_number", "The user's mobile number is %s.", "The user's landline is %s.", false},
		{"phone", "Die Handynummer ist %s.", "Die Festnetznummer ist %s.", false},
		{"phone", "Seit Dienstag ist die Nummer %s.", "Die Nummer ist %s.", true},
		{"address", "The user's office is at %s.", "The user lives at %s.", false},
		{"birthday", "At work the user keeps %s.", "The user's birthday is on %s.", true},
	} {
		a := &schema.Memory{Predicate: c.predicate, Object: "4711", Content: fmt.Sprintf(c.a, "4711")}
		b := &schema.Memory{Predicate: c.predicate, Object: "4712", Content: fmt.Sprintf(c.b, "4712")}
		require.Equal(t, c.want, Exclusive(a, b), "%s / %s", a.Content, b.Content)
		require.Equal(t, c.want, Exclusive(b, a))
	}
	mobile := &schema.Memory{Predicate: "mobile_number", Object: "4711", Content: "Call 4711."}
	require.False(t, Exclusive(mobile, &schema.Memory{Predicate: "phone", Object: "4712", Content: "Call 4712."}))
}

// Days are those of the user: runs on two mornings are two, although less than 24 hours
// lie between them.
func TestEventsOfTwoLocalDays(t *testing.T) {
	tokyo := time.FixedZone("Tokyo", 9*60*60)
	for _, c := range []struct {
		hours float64
		zone  *time.Location
		want  Verb
	}{{0, time.UTC, Merge}, {11, time.UTC, Merge}, {23.5, time.UTC, Leave}, {4, tokyo, Leave}, {2, tokyo, Merge}, {47, time.UTC, Leave}} {
		event := func(id int64, at time.Time) *Party {
			p := resident(id, "Oslo", schema.At(at))
			p.Content, p.Attributes = "The user ran 5 km.", schema.Attributes{schema.AttrTemporal: schema.TemporalEvent}
			return p
		}
		noon := may.Add(12 * time.Hour)
		act := Decide(Same, false, event(1, noon), event(2, noon.Add(time.Duration(c.hours*float64(time.Hour)))), july.In(c.zone))
		require.Equal(t, c.want, act.Verb, "%v hours, %s", c.hours, c.zone)
	}
}
