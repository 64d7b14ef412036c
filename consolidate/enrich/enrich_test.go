package enrich_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

var ada = schema.Scope{User: "ada"}

// chat stores texts as user turns and enriches each.
func chat(t testing.TB, db *schema.DB, texts ...string) (memories []*schema.Memory) {
	t.Helper()
	enricher := enrich.New(db, enrich.Options{})
	for _, content := range texts {
		speaker, said, found := strings.Cut(content, ": ")
		if !found || strings.Contains(speaker, " ") {
			speaker, said = "", content
		}
		m := memtest.Remember(t, db, ada, schema.Memory{Content: said, Speaker: speaker, Role: "user", Confidence: 1})
		require.NoError(t, enricher.Enrich(context.Background(), ada, m.UID))
		memories = append(memories, m)
	}
	return memories
}

func TestNamesOfOneEntity(t *testing.T) {
	for _, c := range []struct {
		name  string
		turns []string
		want  string // what the last turn is linked to
	}{
		{"given name after full name", []string{"I met Karim Haddad today.", "Then Karim called."}, "Karim Haddad"},
		{"full name after given name", []string{"Then Karim called.", "It was Karim Haddad again."}, "Karim Haddad"},
		{"surname after full name", []string{"We had dinner with Karim Haddad.", "I like Haddad."}, "Karim Haddad"},
		{"short form", []string{"The firmware is by Vitaly Orlov.", "We asked Vitya about it."}, "Vitaly Orlov"},
		{"full form after short form", []string{"We asked Bob about it.", "Later Robert Miller wrote."}, "Robert Miller"},
		{"title and surname", []string{"I work for Ingrid Hansen.", "Ask Dr. Hansen about it."}, "Ingrid Hansen"},
		{"full name after title", []string{"I saw Mrs. Abernathy.", "So it was Edith Abernathy."}, "Edith Abernathy"},
		{"a surname alone keeps its title", []string{"I saw Dr. Feld on Friday."}, "Dr. Feld"},
		{"kinship", []string{"We visit Aunt Rosa.", "I called Rosa."}, "Rosa"},
		{"my boss Karim", []string{"I spoke with my boss Karim.", "And my boss was nervous."}, "Karim"},
		{"my boss is Karim", []string{"By the way, my boss is Karim.", "And my boss was nervous."}, "Karim"},
		{"Karim is my boss", []string{"You know that Karim is my boss.", "And my boss was nervous."}, "Karim"},
		{"apposition", []string{"I live with Dmitri Sokolov, my flatmate.", "So my flatmate cooks."}, "Dmitri Sokolov"},
		{"my sister Noor", []string{"Today my sister Noor came.", "Tell my sister hello."}, "Noor"},
		{"German role", []string{"Das ist mein Chef Karim.", "Und mein Chef war da."}, "Karim"},
		{"another script", []string{"The firmware is by Vitaly Orlov.", "Спасибо, Витя!"}, "Vitaly Orlov"},
		{"case endings", []string{"This is Lena Brandt.", "Ключ у Лены."}, "Lena Brandt"},
		{"e-mail address", []string{"I met Mei Tanaka today.", "write to mei.tanaka@fjord.example"}, "Mei Tanaka"},
		{"initial and umlaut", []string{"Ich traf Petra Krüger.", "p.krueger@hofmann.example"}, "Petra Krüger"},
		{"handle", []string{"The firmware is by Vitaly Orlov.", "ping @vitya_o please"}, "Vitaly Orlov"},
		{"no capital", []string{"The firmware is by Vitaly Orlov.", "hey vitya, you awake?"}, "Vitaly Orlov"},
		{"renamed", []string{"Soon we rename Kestrel to Tideline for customers.", "The launch of Tideline is near."}, "Kestrel"},
		{"also known as", []string{"I met Orla Brennan aka Birdie there.", "Then Birdie left."}, "Orla Brennan"},
		{"whatever the spelling", []string{"We love Café Ljus.", "Later we met at Cafe Ljus again."}, "Café Ljus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := memtest.Open(t)
			memories := chat(t, db, c.turns...)
			got := memtest.Links(t, db, memories[len(memories)-1])
			require.Contains(t, got, c.want)
			require.Len(t, got, 1, "%v", got)
		})
	}
}

func TestAmbiguousNamesStayApart(t *testing.T) {
	sure := enrich.Sure
	t.Run("two people of one given name", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "I met Karim Haddad.", "I met Karim Benali.", "Then Karim called.")
		got := memtest.Links(t, db, m[2])
		require.Len(t, got, 1)
		for _, confidence := range got {
			require.Less(t, confidence, sure, "left to the night")
		}
		require.Contains(t, memtest.Links(t, db, m[1]), "Karim Benali")
	})
	t.Run("a short form of two", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "I met Alexander Ross.", "I met Alexandra Moss.", "Then Sasha called.")
		require.Contains(t, memtest.Links(t, db, m[2]), "Sasha", "somebody of their own until it is known who")
	})
	t.Run("a city and a company", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "We flew with Air France.", "We live in France.")
		require.Contains(t, memtest.Links(t, db, m[1]), "France")
	})
	t.Run("a city and a person", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "I met Lars Bergen.", "I was in Bergen.")
		require.NotContains(t, memtest.Links(t, db, m[1]), "Lars Bergen")
	})
	t.Run("words that may be no names are none by being renamed", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "#tram We rename Kestrel to Tideline")
		require.Equal(t, map[string]float64{"#tram": 1}, memtest.Links(t, db, m[0]))
	})
	t.Run("a list is no apposition", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "I saw Karim, my sister and Noor.", "Tell my sister hello.")
		require.Empty(t, memtest.Links(t, db, m[1]))
	})
	t.Run("another speaker's boss", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "Tom: I spoke with my boss Karim.", "Sofia: And my boss was nervous.", "Tom: So my boss left.")
		require.Empty(t, memtest.Links(t, db, m[1]))
		require.Contains(t, memtest.Links(t, db, m[2]), "Karim")
	})
	t.Run("a place has no sister", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "I was in Voss, my sister stayed.", "Tell my sister hello.")
		require.Empty(t, memtest.Links(t, db, m[1]))
	})
	t.Run("words that are names elsewhere", func(t *testing.T) {
		db := memtest.Open(t)
		m := chat(t, db, "We met Will Achterberg.", "i hope you will come")
		require.Empty(t, memtest.Links(t, db, m[1]))
	})
	t.Run("another user", func(t *testing.T) {
		db := memtest.Open(t)
		chat(t, db, "I met Karim Haddad.")
		bob := schema.Scope{User: "bob"}
		m := memtest.Remember(t, db, bob, schema.Memory{Content: "Then Karim called.", Confidence: 1})
		require.NoError(t, enrich.New(db, enrich.Options{}).Enrich(t.Context(), bob, m.UID))
		require.Contains(t, memtest.Links(t, db, m), "Karim")
	})
}

func TestEnrichingAgainChangesNothing(t *testing.T) {
	db := memtest.Open(t)
	texts := []string{
		"I met Karim, my boss.", "Karim Haddad and Noor went to Bergen.", "no names here, but this decision is important",
		"We rename Kestrel to Tideline.", "see https://fjord.example/a and @vitya_o #tram", "Vitaly Orlov said hi", "ask vitya and my boss",
	}
	memories := chat(t, db, texts...)
	before := memtest.Dump(t, db)
	enricher := enrich.New(db, enrich.Options{})
	for range 2 {
		for _, m := range memories {
			require.NoError(t, enricher.Enrich(t.Context(), ada, m.UID))
		}
	}
	require.Equal(t, before, memtest.Dump(t, db))
	for _, m := range memories {
		got := memtest.Reread(t, db, m)
		require.EqualValues(t, 1, got.Version, "bookkeeping keeps the version")
		require.Equal(t, enrich.Importance(m.Content)/10, got.Importance)
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserByID(ctx, memories[0].UserID)
		require.NoError(t, err)
		require.InDelta(t, 6*.3+.4, user.ImportanceSince, 1e-9, "each episode weighs once")
		var ops int
		require.NoError(t, s.NewRaw("SELECT count(*) FROM ops").Scan(ctx, &ops))
		require.Zero(t, ops)
		return nil
	}))
}

func TestGivenImportanceIsKept(t *testing.T) {
	db := memtest.Open(t)
	m := memtest.Remember(t, db, ada, schema.Memory{Kind: schema.KindFact, Content: "Karim likes trams", Importance: .9})
	require.NoError(t, enrich.New(db, enrich.Options{}).Enrich(t.Context(), ada, m.UID))
	require.Equal(t, .9, memtest.Reread(t, db, m).Importance)
}

func TestDerivedMemoryKeepsItsLinks(t *testing.T) {
	db := memtest.Open(t)
	m := memtest.Remember(t, db, ada, schema.Memory{
		Kind: schema.KindFact, Content: "They met Noor in Bergen", Origin: schema.OriginAssistant, Trust: 2, Confidence: 0.8, Importance: 0.5,
	})
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		e, _, err := tx.ResolveEntity(ctx, m.UserID, schema.EntityPerson, "Karim", 1)
		if err != nil {
			return err
		}
		return tx.LinkEntity(ctx, m.ID, e.ID, "Karim", 1)
	}))
	enricher := enrich.New(db, enrich.Options{})
	require.NoError(t, enricher.Enrich(t.Context(), ada, m.UID))
	links := memtest.Links(t, db, m)
	require.Len(t, links, 3, "%v", links)
	before := memtest.Dump(t, db)
	require.NoError(t, enricher.Enrich(t.Context(), ada, m.UID))
	require.Equal(t, before, memtest.Dump(t, db))
}

func TestEnrichRefuses(t *testing.T) {
	db := memtest.Open(t)
	m := memtest.Remember(t, db, ada, schema.Memory{Content: "hello Karim"})
	enricher := enrich.New(db, enrich.Options{})
	var invalid *schema.InvalidError
	require.ErrorAs(t, enricher.Enrich(t.Context(), schema.Scope{}, m.UID), &invalid)
	require.ErrorIs(t, enricher.Enrich(t.Context(), schema.Scope{User: "bob"}, m.UID), schema.ErrNotFound)
	require.ErrorIs(t, enricher.Enrich(t.Context(), ada, "nothing"), schema.ErrNotFound)
}

func TestImportance(t *testing.T) {
	for _, c := range []struct {
		content string
		want    float64
	}{
		{"", 3}, {"hello", 3}, {"this is IMPORTANT", 3.5}, {"I disagree", 4}, {"unimportant", 3.5},
		{strings.Repeat("x", 200), 3}, {strings.Repeat("é", 201), 4}, {strings.Repeat("x", 501), 5},
		{"important critical urgent decision disagree believe feel" + strings.Repeat(".", 500), 9},
	} {
		require.Equal(t, c.want, enrich.Importance(c.content), "%.40q", c.content)
	}
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.String().Draw(t, "content")
		got := enrich.Importance(content)
		require.True(t, got >= 3 && got <= 9)
		require.GreaterOrEqual(t, enrich.Importance(content+" urgent"), got, "more never weighs less")
	})
}

// manyNames writes different names until a text is size bytes long.
func manyNames(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("we met Anna Q" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, strconv.Itoa(i)) + " today. ")
	}
	return b.String()
}

func TestLinksOfALongMessageAreLimited(t *testing.T) {
	db := memtest.Open(t)
	memories := chat(t, db, manyNames(64<<10))
	links := memtest.Links(t, db, memories[0])
	require.Len(t, links, 200)
	require.Contains(t, links, "Anna Qa")
	require.Contains(t, links, "Anna Qbjj")
}

// A batch gives the same links as its memories one after the other, each of which
// may teach names to the next.
func TestBatchEqualsOneByOne(t *testing.T) {
	words := []string{"Karim", "Karim Haddad", "my boss", "my boss Karim", "Vitaly Orlov", "vitya", "asked vitaly", "in Bergen", "Bergen", "ASK INGER",
		"Inger Solberg", "#tram", "@vitya_o", "We rename Kestrel to Tideline", "Tideline", "met", "and", "noor", "Noor Aziz", "her sister Noor"}
	memtest.FewerChecks(t)
	db, users := memtest.Open(t), 0
	enricher := enrich.New(db, enrich.Options{})
	rapid.Check(t, func(check *rapid.T) {
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6), 1, 8).Draw(check, "texts")
		var got [2][]map[string]float64
		for way := range got {
			users++
			scope := schema.Scope{User: strconv.Itoa(users)}
			var all []*schema.Memory
			var uids []string
			for _, text := range texts {
				m := memtest.Remember(t, db, scope, schema.Memory{Content: strings.Join(text, " "), Role: "user", Confidence: 1})
				all, uids = append(all, m), append(uids, m.UID)
				if way == 0 {
					require.NoError(check, enricher.Enrich(t.Context(), scope, m.UID))
				}
			}
			if way == 1 {
				require.NoError(check, enricher.Enrich(t.Context(), scope, uids...))
			}
			for _, m := range all {
				got[way] = append(got[way], memtest.Links(t, db, m))
				require.Equal(check, enrich.Importance(m.Content)/10, memtest.Reread(t, db, m).Importance)
			}
		}
		require.Equal(check, got[0], got[1])
	})
}

func TestRateGetsTheWholeMemory(t *testing.T) {
	db := memtest.Open(t)
	want := memtest.Remember(t, db, ada, schema.Memory{Content: "I met Karim.", Agent: "butler", Tags: []string{"kin"}, Attributes: schema.Attributes{"mood": "calm"}})
	var seen *schema.Memory
	enricher := enrich.New(db, enrich.Options{Rate: func(m *schema.Memory) float64 { seen = m; return 7 }})
	require.NoError(t, enricher.Enrich(t.Context(), ada, want.UID))
	require.Equal(t, .7, memtest.Reread(t, db, want).Importance)
	seen.Importance = .7
	require.Equal(t, memtest.Reread(t, db, want), seen)
}
