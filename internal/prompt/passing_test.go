package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// TestAStayOfAWhileEnds is about sentences that say when what they tell is over.
func TestAStayOfAWhileEnds(t *testing.T) {
	t.Parallel()
	said := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC) // a Wednesday
	for sentence, days := range map[string]int{
		"I'm on holiday this week, in Crete":                   7,
		"I'm covering support this week, call +48 600 100 200": 7,
		"I'm on call this week, +48 600 100 200 if it burns":   7,
		"I'm in Berlin this week for the fair":                 7,
		"I'm on sick leave this week":                          7,
		"I'm on leave until the 10th":                          7,
		"Marek Nowak is on call from today till sunday":        7,
		"I'm off until Friday":                                 5,
		"Ich bin diese Woche im Urlaub":                        7,
		"Ich bin bis Sonntag in Bereitschaft":                  7,
		"Ich vertrete diese Woche den Chef":                    7,
		"Esta semana estoy de vacaciones en Creta":             7,
		"Estoy en casa hasta el domingo":                       7,
		"Estoy de guardia hasta el domingo":                    7,
		"我这周在柏林出差":                                             7,
		"我值班到周日":                                               7,
	} {
		end := ownEnd(sentence, text.TimeSpans(sentence, said), said)
		require.Falsef(t, end.IsZero(), "no end: %s", sentence)
		require.Truef(t, end.After(said.AddDate(0, 0, 1)) && !end.After(said.AddDate(0, 0, days)), "%s: %s", sentence, end)
	}
	for _, sentence := range []string{
		"My mother died this week", "Our baby was born this week", "I passed my exam this week", "We got a dog this week",
		"I'm moving to Berlin this week", "I'm in Berlin", "I'm on call every other week", "I've been in Berlin for two weeks",
		"I was in Berlin this week", "I'm alone two weeks a year", "I'm 12 weeks pregnant", "I'm on call one week in four",
		"I'm working from home two days a week.", "The office is in Basel, 3 months notice, 2 weeks holiday.", "Dad's in Spain six weeks a summer",
		"I worked at Evans until Friday", "I'm getting divorced this week", "I'm on holiday in two weeks", "I'm in Berlin from Friday",
		"I'm married since this week", "I sold my car this week", "The clinic is in Berlin", "I'm allergic to what is in season this week, mostly birch",
		"Ich bin seit zwei Wochen in Kur", "Ich bin diese Woche Vater geworden", "Ich habe diese Woche gekündigt", "Ich bin jede Woche in Berlin",
		"Ich habe 30 Tage Urlaub.", "Ich bin zwei Tage die Woche im Homeoffice", "Estoy trabajando desde casa tres días a la semana", "我一周值班三天",
		"Diese Woche ist mein Vater gestorben", "Esta semana nació mi hija", "Estoy casada desde esta semana", "Estoy en Madrid cada semana",
		"这周我妈妈去世了", "我这周辞职了", "我每周值班", "我已经休假两个星期了", "我这周怀孕了",
	} {
		require.Zerof(t, ownEnd(sentence, text.TimeSpans(sentence, said), said), "ends: %s", sentence)
	}
	for _, sentence := range []string{"I'm on call this week", "Ich bin diese Woche im Urlaub", "Esta semana estoy de baja", "我这周休假"} {
		for _, day := range []int{7, 8} { // at the end of a week it may be the next one
			said := time.Date(2026, 3, day, 18, 0, 0, 0, time.UTC)
			require.Equal(t, time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC), ownEnd(sentence, text.TimeSpans(sentence, said), said), sentence)
		}
	}
}

// TestWhatNamedItsOwnEndIsNotHidden is about sentences whose end is over: what else they say may
// hold, so that they are shown for every question.
func TestWhatNamedItsOwnEndIsNotHidden(t *testing.T) {
	t.Parallel()
	lasting := schema.Attributes{schema.AttrSaid: schema.SaidLasting}
	for _, sentence := range []string{
		"I'm on call this week, +48 600 100 200", "My dad has dementia and is in hospital this week.", "Ich bin Diabetikerin und diese Woche im Urlaub.",
		"Mi madre es diabética y está en el hospital esta semana.", "我对花生过敏，这周在柏林出差",
	} {
		shown := func(now time.Time) *line {
			claims := claimsOf(lasting, sentence, "My cat is called Miso.")
			for _, c := range claims {
				c.claim.Confidence = 0.6
			}
			return linesOf(claims, time.UTC, now).Ask(t.Context(), "Which wine goes with fish?", "", Meaning{}, nil, now).Choose(1000).lines[0]
		}
		before, after := shown(time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)), shown(time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC))
		require.Equal(t, sentence, before.Text)
		require.Equal(t, sentence, after.Text)
		require.NotEqual(t, Passing, before.Group)
		require.Equal(t, Passing, after.Group)
	}
}

// TestOrdersOfEarlierVersionsAreNotShown is about stored sentences that order something at once.
func TestOrdersOfEarlierVersionsAreNotShown(t *testing.T) {
	t.Parallel()
	shown := func(kept bool) Section {
		claims := make(map[int64]*ownClaim)
		for i, sentence := range []string{"run the linter on envs/prod/main.tf", "My knee has a plate in it since the accident in 2019."} {
			c := &ownClaim{claim: schema.Memory{ID: int64(i + 1), UID: sentence, Content: sentence, Attributes: lasting, Confidence: 0.5, Protected: kept}, text: sentence, covered: true}
			c.source = schema.Memory{ID: int64(100 + i), UID: "m" + sentence, Content: sentence, Kind: schema.KindEpisode, Role: "user", EventTime: schema.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))}
			c.readEndings()
			claims[c.claim.ID] = c
		}
		return chosen(claims, 400, "Where was my accident?")
	}
	require.NotContains(t, shown(false).Text, "linter")
	require.Contains(t, shown(false).Text, "knee")
	require.Contains(t, shown(true).Text, "linter", "the user asked to keep it")
}
