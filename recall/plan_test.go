package recall

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// shape is a plan in a word or two.
func shape(p Plan) string {
	var parts []string
	for _, s := range p.Spans {
		parts = append(parts, s.Start.Format("01-02")+".."+s.End.Format("01-02"))
	}
	for _, is := range []struct {
		so   bool
		name string
	}{{p.Story, "story"}, {p.When, "when"}, {p.Bare, "bare"}, {p.World, "world"}} {
		if is.so {
			parts = append(parts, is.name)
		}
	}
	if p.About != "" {
		parts = append(parts, string(p.About))
	}
	return strings.Join(parts, " ")
}

func TestPlans(t *testing.T) {
	for question, want := range map[string]string{ // asked on Wednesday, 14 May 2025
		"What did I do yesterday?":                         "05-13..05-14 story",
		"What happened in January?":                        "01-01..02-01 story",
		"What was on last weekend?":                        "05-10..05-12 story",
		"What did I eat yesterday?":                        "05-13..05-14",
		"Am I free on Friday?":                             "05-16..05-17 story",
		"What's on next Tuesday?":                          "05-20..05-21 story",
		"Am I performing anywhere before Christmas?":       "05-14..12-25",
		"When is the dentist?":                             "when",
		"What did we talk about last time?":                "last talk",
		"Summarise our last conversation.":                 "last talk",
		"What do you know about me?":                       "self",
		"What have I told you so far?":                     "self",
		"And where?":                                       "bare",
		"Which city is it in?":                             "bare",
		"Do you really think so?":                          "bare",
		"Was habe ich gestern gemacht?":                    "05-13..05-14 story",
		"Hab ich am Freitag Zeit?":                         "05-16..05-17 story",
		"Wann ist der Zahnarzt?":                           "when",
		"Worüber haben wir letztes Mal gesprochen?":        "last talk",
		"Was weißt du über mich?":                          "self",
		"Und wann?":                                        "bare",
		"¿Qué hice la semana pasada?":                      "05-05..05-12 story",
		"¿Estoy libre el viernes?":                         "05-16..05-17 story",
		"¿Cuándo es la boda?":                              "when",
		"¿De qué hablamos la última vez?":                  "last talk",
		"¿Qué sabes de mí?":                                "self",
		"¿Y dónde?":                                        "bare",
		"我昨天做了什么?":                                         "05-13..05-14 story",
		"我这周五有空吗?":                                         "05-16..05-17 story",
		"牙医是什么时候?":                                         "when",
		"我们上次聊了什么?":                                        "last talk",
		"你知道我哪些事?":                                         "self",
		"那在哪里?":                                            "bare",
		"What's the weather tomorrow?":                     "",
		"Write a poem about last summer.":                  "",
		"Can you write me a poem about last summer?":       "",
		"What is the date today?":                          "world",
		"What time is it?":                                 "world",
		"Set a timer for tomorrow morning at seven.":       "",
		"Who won the world cup in 2018?":                   "",
		"What happened in the French Revolution in 1789?":  "",
		"When was the Magna Carta signed?":                 "when", // picks nothing: it is not the user's
		"How do I structure a letter about past projects?": "",
		"Wie wird das Wetter morgen?":                      "",
		"Schreib ein Gedicht über den letzten Sommer.":     "",
		"Welcher Tag ist heute?":                           "world",
		"¿Qué tiempo hará mañana?":                         "",
		"Escribe un poema sobre el verano pasado.":         "",
		"¿Qué día es hoy?":                                 "world",
		"明天天气怎么样?":                                         "",
		"写一首关于去年夏天的诗。":                                     "",
		"今天几号?":                                            "world",
		"Is it true that Marta plays the cello in Lisbon?": "",
		"": "",
	} {
		assert.Equal(t, want, shape(PlanOf(question, noon)), question)
	}
}

func TestPlansAreResolvedWhereTheUserIs(t *testing.T) {
	auckland, err := time.LoadLocation("Pacific/Auckland")
	require.NoError(t, err)
	p := PlanOf("What did I do yesterday?", noon.In(auckland)) // there it is the 15th
	require.Len(t, p.Spans, 1)
	assert.Equal(t, "2025-05-14T00:00:00+12:00", p.Spans[0].Start.Format(time.RFC3339))
}

func FuzzPlanOf(f *testing.F) {
	for _, s := range []string{"What did I do yesterday?", "Und wo?", "¿Qué hice el 31 de enero?", "我昨天做了什么?", "can you", "那", "on Friday,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, span := range func() []Span { p := PlanOf(s, noon); return p.Spans }() {
			if !span.Start.Before(span.End) {
				t.Fatalf("%q: %v", s, span)
			}
		}
	})
}

// planned searches with the question's plan.
func planned(t *testing.T, s *Searcher, question string, change func(*Plan)) *Answer {
	t.Helper()
	p := PlanOf(question, noon)
	if change != nil {
		change(&p)
	}
	return search(t, s, Query{Text: question, Plan: &p, Limit: 8})
}

const aDay = 24 * 60 // minutes

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

func TestATimeIsTold(t *testing.T) {
	db := open(t)
	say(t, db, ada, week()...)
	s := New(db, Options{})
	defer s.Close()

	a := planned(t, s, "What did I do yesterday?", nil)
	require.Len(t, a.Results, 1, "courtesies are not told")
	assert.Equal(t, "Repaired the accordion bellows with goat leather.", a.Results[0].Memory.Content)
	assert.Equal(t, whyTime, a.Results[0].Why)
	assert.GreaterOrEqual(t, a.Results[0].Relevance, sureOf)
	assert.Contains(t, a.Results[0].Explain(), "from the time asked about")

	// What was said of a day is found whenever it was said.
	a = planned(t, s, "Am I free on Friday?", nil)
	assert.Equal(t, []string{"On Friday we fly to Porto, pack the tripod."}, texts(a))
	a = planned(t, s, "What's on 20 June?", nil)
	assert.Equal(t, []string{"The dentist is on 20 June at three."}, texts(a))
	a = planned(t, s, "When is the dentist?", nil)
	assert.Equal(t, "The dentist is on 20 June at three.", texts(a)[0])
	assert.GreaterOrEqual(t, a.Results[0].Relevance, sureOf)

	// An empty time is said to be empty, and the nearest day told.
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

func TestATimeIsThinned(t *testing.T) {
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
	a := planned(t, s, "What did we talk about last time?", func(p *Plan) { p.Session = "now" })
	require.NotEmpty(t, a.Results)
	assert.Equal(t, "Repaired the accordion bellows with goat leather.", a.Results[0].Memory.Content)
	assert.NotContains(t, texts(a), "I am looking at maps of Madeira.")
	assert.NotContains(t, texts(a), "Thanks!")
	a = planned(t, s, "What do you know about me?", nil)
	assert.NotEmpty(t, a.Results)
	assert.Equal(t, whySelf, a.Results[0].Why)
}

func TestABareQuestionIsSearchedWithTheTalk(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada, append(week(),
		turn{"w", "Ada", "user", "Odile and Rashid marry on 20 June in the boathouse.", "", -30 * aDay},
		turn{"now", "Ada", "user", "When do Odile and Rashid marry?", "", -3},
		turn{"now", "", "assistant", "On 20 June.", "", -2},
	)...)
	s := New(db, Options{})
	defer s.Close()

	stored := planned(t, s, "And where?", func(p *Plan) { p.Session = "now" })
	require.NotEmpty(t, stored.Results)
	assert.Equal(t, "Odile and Rashid marry on 20 June in the boathouse.", texts(stored)[0])
	assert.Equal(t, whyTalk, stored.Results[0].Why)
	assert.NotContains(t, texts(stored), "On 20 June.", "it was just said")

	passed := planned(t, s, "And where?", func(p *Plan) { p.Talk = []string{"When do Odile and Rashid marry?", "On 20 June."} })
	assert.Contains(t, texts(passed)[:2], "Odile and Rashid marry on 20 June in the boathouse.")

	var tulips string
	for _, r := range search(t, s, Query{Text: "forty tulips"}).Results {
		if r.Memory.ID == ids[3] {
			tulips = r.Memory.UID
		}
	}
	carried := planned(t, s, "And where?", func(p *Plan) { p.Carry = []string{tulips, "no such memory"} })
	require.NotEmpty(t, carried.Results)
	assert.Equal(t, whyCarry, carried.Results[0].Why)

	none := planned(t, s, "And where?", nil)
	for _, r := range none.Results {
		assert.Empty(t, r.Why, "nothing was said before")
	}
}

func TestPlansKeepToTheQuerysRestrictions(t *testing.T) {
	db := open(t)
	say(t, db, ada, week()...)
	say(t, db, schema.Scope{User: "bo"}, turn{"x", "Bo", "user", "Yesterday was the day of the accordion.", "", -aDay})
	s := New(db, Options{})
	defer s.Close()
	p := PlanOf("What did I do yesterday?", noon)
	assert.Equal(t, []string{"Planted forty tulips with Noor behind the shed."}, texts(search(t, s, Query{Text: "What did I do yesterday?", Plan: &p, Session: "sat"})))
	for _, r := range search(t, s, Query{Text: "What did I do yesterday?", Plan: &p}).Results {
		assert.NotContains(t, r.Memory.Content, "the day of the accordion")
	}
}
