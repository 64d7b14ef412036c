package recall

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// planned searches with the question's plan.
func planned(t *testing.T, s *Searcher, question string, change func(*lexicon.Plan)) *Answer {
	t.Helper()
	p := lexicon.PlanOf(question, noon)
	if change != nil {
		change(&p)
	}
	return search(t, s, Query{Text: question, Plan: &p, Limit: 8})
}

const aDay = 24 * 60 // minutes

// A question about what an agent did gets that agent's reports.
func TestReportsOfAnAgent(t *testing.T) {
	db := open(t)
	say(t, db, ada, append(week(), turn{"tue", "Coder", "assistant", "Report, shop-web: unpinned sharp, 60 images compared.", "", -aDay + 30})...)
	s := New(db, Options{})
	defer s.Close()
	assert.Equal(t, []string{"Report, shop-web: unpinned sharp, 60 images compared."}, texts(planned(t, s, "What did the coding agent get done yesterday?", nil))[:1])
}

// week is a user's week up to noon of Wednesday, 14 May 2025.
func week() []turn {
	return []turn{
		{"mon", "Ada", "user", "The dentist is on 20 June at three.", "", -9*aDay + 10},
		{"mon", "", "assistant", "Noted.", "", -9*aDay + 11},
		{"fri", "Ada", "user", "On Friday we fly to Porto, pack the tripod.", "", -2*aDay + 15},
		{"sat", "Ada", "user", "Planted forty tulips with Noor behind the shed.", "", -4 * aDay},
		{"sat", "Ada", "user", "What is a good fertiliser?", "", -4*aDay + 5},
		{"tue", "Ada", "user", "Repaired the accordion bellows with goat leather.", "", -aDay},
		{"tue", "Ada", "user", "Thanks!", "", -aDay + 1},
		{"tue", "", "assistant", "You are welcome.", "", -aDay + 2},
	}
}

func TestPeriodQuestion(t *testing.T) {
	db := open(t)
	say(t, db, ada, week()...)
	s := New(db, Options{})
	defer s.Close()

	a := planned(t, s, "What did I do yesterday?", nil)
	require.Len(t, a.Results, 1, "courtesies are not told")
	assert.Equal(t, "Repaired the accordion bellows with goat leather.", a.Results[0].Memory.Content)
	assert.Equal(t, whyTime, a.Results[0].Why)
	assert.GreaterOrEqual(t, a.Results[0].Relevance, answerRelevance)
	assert.Contains(t, a.Results[0].Explain(), "from the time asked about")

	// What was said of a day is found whenever it was said.
	a = planned(t, s, "Am I free on Friday?", nil)
	assert.Equal(t, []string{"On Friday we fly to Porto, pack the tripod."}, texts(a))
	a = planned(t, s, "What's on 20 June?", nil)
	assert.Equal(t, []string{"The dentist is on 20 June at three."}, texts(a))
	a = planned(t, s, "When is the dentist?", nil)
	assert.Equal(t, "The dentist is on 20 June at three.", texts(a)[0])
	assert.GreaterOrEqual(t, a.Results[0].Relevance, answerRelevance)

	// A question of an unclear tense is about the last and the next one.
	a = planned(t, s, "Was machen wir am Samstag?", nil)
	assert.Equal(t, []string{"Planted forty tulips with Noor behind the shed."}, texts(a))
	assert.Empty(t, a.Note)

	// An empty period is reported as empty, with the nearest day that has messages.
	a = planned(t, s, "What did I do on Sunday?", nil)
	assert.Equal(t, "Nothing is stored from Sun 2025-05-11; nearest is Sat 2025-05-10.", a.Note)
	assert.Equal(t, []string{"Planted forty tulips with Noor behind the shed."}, texts(a))
	a = planned(t, s, "Am I free on 3 October?", nil)
	assert.Equal(t, "Nothing is stored about Fri 2025-10-03.", a.Note)
	assert.Empty(t, a.Results)

	// A time long before any memory is the world's, unless it is the user's.
	a = planned(t, s, "What happened in 1789?", nil)
	assert.Empty(t, a.Note)
	assert.Empty(t, a.Results)
}

func TestNotesOfStoredTimes(t *testing.T) {
	db := open(t)
	say(t, db, ada, append(week(),
		turn{"sun", "Ada", "user", "How long do tulips need?", "", -3 * aDay},
		turn{"now", "Ada", "user", "Sold the accordion to Halvor.", "", -60})...)
	s := New(db, Options{})
	defer s.Close()

	for question, want := range map[string][]string{
		"What should I do today?":                    {"Sold the accordion to Halvor."},
		"What did I do today?":                       {"Sold the accordion to Halvor."},
		"What did I do on Sunday?":                   nil, // a question only
		"Can you tell me what I did yesterday?":      {"Repaired the accordion bellows with goat leather."},
		"Could you remind me what we did yesterday?": {"Repaired the accordion bellows with goat leather."},
		"Can you summarise yesterday for me?":        {"Repaired the accordion bellows with goat leather."},
	} {
		a := planned(t, s, question, nil)
		assert.Equal(t, want, texts(a), question)
		assert.Empty(t, a.Note, question)
	}
	a := planned(t, s, "What did I do before May?", nil)
	assert.Equal(t, "Nothing is stored from before Thu 2025-05-01; nearest is Mon 2025-05-05.", a.Note)

	// What a query skips is stored, too.
	for question, skipped := range map[string]string{
		"What did I do today?":       "Sold the accordion to Halvor.",
		"What am I doing on Friday?": "On Friday we fly to Porto, pack the tripod.",
		"What's on 20 June?":         "The dentist is on 20 June at three.",
	} {
		p := lexicon.PlanOf(question, noon)
		a := search(t, s, Query{Text: question, Plan: &p, Limit: 8, Skip: func(m *schema.Memory) bool { return m.Content == skipped }})
		assert.Empty(t, a.Note, question)
		assert.NotContains(t, texts(a), skipped)
	}
}

// A stay is about each of its days, a week or a month is not.
func TestRangesOfDays(t *testing.T) {
	for said, want := range map[string]bool{
		"Montag bis Freitag bin ich auf Messe in Hannover.": true,
		"Estoy de viaje de lunes a viernes en Bilbao.":      true,
		"我周一到周五在汉诺威参加展会。":                                   true,
		"Monday to Friday I am at the fair in Hanover.":     true,
		"The tulips will flower in May.":                    false,
	} {
		db := open(t)
		say(t, db, ada, turn{"a", "Ada", "user", said, "", -10}, turn{"a", "Ada", "user", "The plumber comes next Thursday.", "", -9})
		s := New(db, Options{})
		defer s.Close()
		for _, question := range []string{"What do I have on Friday 23 May?", "What do I have on 21 May?"} {
			a := planned(t, s, question, nil)
			if want {
				assert.Equal(t, []string{said}, texts(a), question)
				assert.Empty(t, a.Note, said)
			} else {
				assert.NotContains(t, texts(a), said)
			}
		}
	}
}

func TestDateOfSomethingWithAnOwner(t *testing.T) {
	db := open(t)
	dated := "The wedding is a week later, on 20 June, at the winery with the burst pipe."
	say(t, db, ada, append(week(),
		turn{"w", "Ada", "user", "My sister called, Noor wants a big wedding!", "", -30 * aDay},
		turn{"x", "Ada", "user", dated, "", -20 * aDay},
		turn{"x", "Ada", "user", "You are getting good at weddings, said Noor.", "", -20*aDay + 1})...)
	s := New(db, Options{})
	defer s.Close()
	for _, question := range []string{"When is Noor's wedding?", "When is the wedding of Noor?"} {
		require.Equal(t, dated, texts(planned(t, s, question, nil))[0], question)
		require.NotEqual(t, dated, texts(search(t, s, Query{Text: question}))[0], "without a plan")
	}
	a := planned(t, s, "When is Noor's birthday?", nil)
	for _, r := range a.Results {
		require.Empty(t, r.Why, "what else is to come is not hers")
	}
}

func TestPeriodIsThinned(t *testing.T) {
	db := open(t)
	var turns []turn
	for day := range 20 {
		for n := range 6 {
			turns = append(turns, turn{fmt.Sprint("day ", day), "Ada", "user", fmt.Sprintf("Soup for lunch again, number %d.", n), "", -(20-day)*aDay + n})
		}
	}
	turns = append(turns,
		turn{"a", "Ada", "user", "Swam across the fjord at Balestrand.", "", -15 * aDay},
		turn{"b", "Ada", "user", "Our cousin Halvor eloped with a beekeeper.", "", -8 * aDay})
	say(t, db, ada, turns...)
	s := New(db, Options{})
	defer s.Close()
	a := planned(t, s, "What happened in the last three weeks?", nil)
	said := texts(a)
	assert.Contains(t, said, "Swam across the fjord at Balestrand.")
	assert.Contains(t, said, "Our cousin Halvor eloped with a beekeeper.")
	assert.LessOrEqual(t, len(said), 4, "soup is told of once or twice")
	for i := 1; i < len(a.Results); i++ {
		assert.False(t, a.Results[i].Memory.EventTime.Before(a.Results[i-1].Memory.EventTime.Time), "in order of time")
	}
}

func TestTheLastConversation(t *testing.T) {
	db := open(t)
	say(t, db, ada, append(week(), turn{"now", "Ada", "user", "I am looking at maps of Madeira.", "", -3})...)
	s := New(db, Options{})
	defer s.Close()
	a := planned(t, s, "What did we talk about last time?", func(p *lexicon.Plan) { p.Session = "now" })
	require.NotEmpty(t, a.Results)
	assert.Equal(t, "Repaired the accordion bellows with goat leather.", a.Results[0].Memory.Content)
	assert.NotContains(t, texts(a), "I am looking at maps of Madeira.")
	assert.NotContains(t, texts(a), "Thanks!")
	a = planned(t, s, "What do you know about me?", nil)
	assert.NotEmpty(t, a.Results)
	assert.Equal(t, whySelf, a.Results[0].Why)
}

// Conversations without a name are separated by when they began.
func TestTheLastConversationWithoutAName(t *testing.T) {
	db := open(t)
	say(t, db, ada, append(week(),
		turn{"", "Ada", "user", "Carved a lantern out of a pumpkin.", "", -120},
		turn{"", "Ada", "user", "I am looking at maps of Madeira.", "", -3})...)
	s := New(db, Options{})
	defer s.Close()
	for began, first := range map[time.Duration]string{
		10 * time.Minute:  "Carved a lantern out of a pumpkin.",
		72 * time.Hour:    "Repaired the accordion bellows with goat leather.",
		-10 * time.Minute: "I am looking at maps of Madeira.",
	} {
		a := planned(t, s, "What did we talk about last time?", func(p *lexicon.Plan) { p.Began = noon.Add(-began) })
		require.NotEmpty(t, a.Results)
		assert.Equal(t, first, a.Results[0].Memory.Content, "%s ago", began)
	}
}

// However many claims there are, the protected and the most important ones come first.
func TestSelfKnowsOldClaims(t *testing.T) {
	db := open(t)
	claim := func(content string, importance float64, protected bool) {
		store(t, db, ada, "", &schema.Memory{
			Kind: schema.KindFact, Content: content, EventTime: schema.At(noon), Confidence: 1, Importance: importance,
			Protected: protected, Origin: schema.OriginUser, Trust: schema.MaxTrust,
		})
	}
	claim("Ada's name is Ada Byron.", 0.9, false)
	claim("Ada has a pacemaker.", 0.4, true)
	for i := range datedDepth + 50 {
		claim(fmt.Sprintf("Ada's favourite pen is number %d.", i), 0.5, false)
	}
	s := New(db, Options{})
	defer s.Close()
	require.Equal(t, []string{"Ada has a pacemaker.", "Ada's name is Ada Byron."}, texts(planned(t, s, "What do you know about me?", nil))[:2])
}

func TestBareQuestionUsesTalk(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada, append(week(),
		turn{"w", "Ada", "user", "Odile and Rashid marry on 20 June in the boathouse.", "", -30 * aDay},
		turn{"now", "Ada", "user", "When do Odile and Rashid marry?", "", -3},
		turn{"now", "", "assistant", "On 20 June.", "", -2},
	)...)
	s := New(db, Options{})
	defer s.Close()

	stored := planned(t, s, "And where?", func(p *lexicon.Plan) { p.Session = "now" })
	require.NotEmpty(t, stored.Results)
	assert.Equal(t, "Odile and Rashid marry on 20 June in the boathouse.", texts(stored)[0])
	assert.Equal(t, whyTalk, stored.Results[0].Why)
	assert.NotContains(t, texts(stored), "On 20 June.", "it was just said")

	passed := planned(t, s, "And where?", func(p *lexicon.Plan) { p.Talk = []string{"When do Odile and Rashid marry?", "On 20 June."} })
	assert.Contains(t, texts(passed)[:2], "Odile and Rashid marry on 20 June in the boathouse.")

	var tulips string
	for _, r := range search(t, s, Query{Text: "forty tulips"}).Results {
		if r.Memory.ID == ids[3] {
			tulips = r.Memory.UID
		}
	}
	carried := planned(t, s, "And where?", func(p *lexicon.Plan) { p.Carry = []string{tulips, "no such memory"} })
	require.NotEmpty(t, carried.Results)
	assert.Equal(t, whyCarry, carried.Results[0].Why)

	none := planned(t, s, "And where?", nil)
	for _, r := range none.Results {
		assert.Empty(t, r.Why, "nothing was said before")
	}
}

func TestPlansKeepRestrictions(t *testing.T) {
	db := open(t)
	say(t, db, ada, week()...)
	say(t, db, schema.Scope{User: "bo"}, turn{"x", "Bo", "user", "Yesterday was the day of the accordion.", "", -aDay})
	s := New(db, Options{})
	defer s.Close()
	p := lexicon.PlanOf("What did I do yesterday?", noon)
	assert.Equal(t, []string{"Planted forty tulips with Noor behind the shed."}, texts(search(t, s, Query{Text: "What did I do yesterday?", Plan: &p, Session: "sat"})))
	for _, r := range search(t, s, Query{Text: "What did I do yesterday?", Plan: &p}).Results {
		assert.NotContains(t, r.Memory.Content, "the day of the accordion")
	}
}
