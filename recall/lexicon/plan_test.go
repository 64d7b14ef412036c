package lexicon

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var noon = time.Date(2025, 5, 14, 12, 0, 0, 0, time.UTC) // a Wednesday

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
		"What did I do yesterday?":                                    "05-13..05-14 story",
		"What happened in January?":                                   "01-01..02-01 story",
		"What was on last weekend?":                                   "05-10..05-12 story",
		"yesterdays lunch, what did I have":                           "05-13..05-14",
		"I was late yesterday, what a day":                            "",
		"der Arzt gestern, was hab ich gesagt":                        "05-13..05-14",
		"la cena de ayer, qué te dije":                                "05-13..05-14",
		"What did I eat yesterday?":                                   "05-13..05-14",
		"What did the coding agent get done yesterday?":               "05-13..05-14",
		"Was habe ich dir gestern von der Kapelle erzählt?":           "05-13..05-14",
		"Was habe ich dir gestern erzählt?":                           "05-13..05-14 story",
		"Was habe ich dir von der Kapelle erzählt?":                   "",
		"Was habe ich dir bisher alles erzählt?":                      "self",
		"¿Qué te he contado ya?":                                      "self",
		"¿Qué te he contado de la boda?":                              "bare",
		"我昨天告诉你什么了？":                                                  "05-13..05-14 story",
		"Am I free on Friday?":                                        "05-16..05-17 story",
		"What's on next Tuesday?":                                     "05-20..05-21 story",
		"Am I performing anywhere before Christmas?":                  "05-14..12-25",
		"When is the dentist?":                                        "when",
		"What did we talk about last time?":                           "last talk",
		"Summarise our last conversation.":                            "last talk",
		"What do you know about me?":                                  "self",
		"What have I told you so far?":                                "self",
		"And where?":                                                  "bare",
		"Which city is it in?":                                        "bare",
		"Do you really think so?":                                     "bare",
		"Was habe ich gestern gemacht?":                               "05-13..05-14 story",
		"Hab ich am Freitag Zeit?":                                    "05-16..05-17 story",
		"Was habe ich am Freitag vor?":                                "05-16..05-17 story",
		"Haben wir am Samstag etwas vor?":                             "05-17..05-18 story",
		"Was haben wir am Freitag gegessen?":                          "05-09..05-10",
		"Was habe ich am Freitag gemacht?":                            "05-09..05-10 story",
		"Was steht im Mai an?":                                        "05-01..06-01 story",
		"What do I have in May?":                                      "05-01..06-01 story",
		"Am I free on the 14th?":                                      "05-14..05-15 story",
		"What do I have in April?":                                    "04-01..05-01 story",
		"What am I doing at the weekend?":                             "05-17..05-19 story",
		"我四月发生了什么重要的事？":                                               "04-01..05-01 story",
		"我周三开会说了什么？":                                                  "05-07..05-08",
		"我周五要去的餐厅叫什么？":                                                "05-16..05-17",
		"Was habe ich am Freitag mit Ada vor der Arbeit unternommen?": "05-09..05-10",
		"我周五要做什么？":                                                    "05-16..05-17 story",
		// a day in the present tense is the next one, in doubt either
		"Was mache ich am Freitag?":                        "05-16..05-17 story",
		"Was mache ich im März?":                           "03-01..04-01 story",
		"Wen treffe ich am Donnerstag?":                    "05-15..05-16",
		"Was machen wir am Wochenende?":                    "05-17..05-19 05-10..05-12 story",
		"¿Qué hago el viernes?":                            "05-16..05-17 story",
		"我周五干什么？":                                          "05-16..05-17 05-09..05-10 story",
		"我周六去哪儿？":                                          "05-17..05-18 05-10..05-11 story",
		"What's happening on Friday?":                      "05-16..05-17 story",
		"Have I got anything on Friday?":                   "05-16..05-17 story",
		"Do I see Alfred on Friday?":                       "05-16..05-17",
		"What should I do on Friday?":                      "05-16..05-17 story",
		"Who do I meet on Thursday?":                       "05-15..05-16",
		"Do I work on Saturday?":                           "05-17..05-18",
		"Where do we go for Christmas?":                    "12-25..12-26 story",
		"Which guests are invited for us on Saturday?":     "05-17..05-18 05-10..05-11",
		"What did I do on Friday?":                         "05-09..05-10 story",
		"Who visited us on Friday?":                        "05-09..05-10",
		"Who told me about the fire on Friday?":            "05-09..05-10",
		"Was hat mir Tom am Freitag gesagt?":               "05-09..05-10",
		"Wen traf ich am Freitag?":                         "05-09..05-10",
		"¿Qué he comprado el viernes?":                     "05-09..05-10",
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
		// what goes on from a question about another time
		"And tomorrow?":               "05-15..05-16 story",
		"What about Friday?":          "05-16..05-17 05-09..05-10 story", // the talk may be of either
		"And what about Friday?":      "05-16..05-17 05-09..05-10 story",
		"And on Friday?":              "05-16..05-17 05-09..05-10 story",
		"How about next week?":        "05-19..05-26 story",
		"And yesterday?":              "05-13..05-14 story",
		"Und morgen?":                 "05-15..05-16 story",
		"Und am Freitag?":             "05-16..05-17 05-09..05-10 story",
		"Und was ist mit morgen?":     "05-15..05-16 story",
		"Wie sieht's am Freitag aus?": "05-16..05-17 05-09..05-10 story",
		"¿Y mañana?":                  "05-15..05-16 story",
		"¿Y el viernes?":              "05-16..05-17 05-09..05-10 story",
		"¿Qué tal el viernes?":        "05-16..05-17 05-09..05-10 story",
		"那明天呢?":                       "05-15..05-16 story",
		"明天呢?":                        "05-15..05-16 story",
		"那周五呢?":                       "05-16..05-17 05-09..05-10 story",
		"And what day is tomorrow?":   "world",
		"Und welcher Tag ist morgen?": "world",
		"¿Y qué día es mañana?":       "world",
		"那明天是几号?":                     "world",
		"And tomorrow's weather?":     "",
		// without a clear sign of the past or what is ahead it is either
		"Welche Gäste kommen am Samstag zu uns?":                             "05-17..05-18",
		"Haben wir am Freitag Gäste?":                                        "05-16..05-17 05-09..05-10",
		"¿Cuánto gasté el viernes?":                                          "05-09..05-10",
		"When is the party on Saturday that Tom told me about?":              "05-17..05-18 05-10..05-11",
		"What do I have to bring to the dinner on Friday Tom told me about?": "05-16..05-17 05-09..05-10",
		"¿Qué me ha dicho Ana que hay el viernes?":                           "05-16..05-17 05-09..05-10",
		"What do I remember from Friday?":                                    "05-16..05-17 05-09..05-10 story",
		"What do I have from Friday?":                                        "05-16..05-17 05-09..05-10 story",
		"What do I know about Friday?":                                       "05-16..05-17 05-09..05-10 story",
		"Who do I owe for dinner on Friday?":                                 "05-16..05-17 05-09..05-10",
		"Who should I thank for Friday?":                                     "05-16..05-17 05-09..05-10",
		"Was schulde ich Tom für Freitag?":                                   "05-16..05-17 05-09..05-10",
		"Was esse ich am Freitag?":                                           "05-16..05-17",
		"Was brauche ich am Freitag?":                                        "05-16..05-17",
		"Was essen wir am Freitag?":                                          "05-16..05-17 05-09..05-10",
		"Was kochte ich am Freitag?":                                         "05-09..05-10",
	} {
		assert.Equal(t, want, shape(PlanOf(question, noon)), question)
	}
}

func TestPresentTenseMonthIsTheNext(t *testing.T) {
	p := PlanOf("Was mache ich im März?", noon)
	require.Len(t, p.Spans, 1)
	assert.Equal(t, "2026-03-01", p.Spans[0].Start.Format(time.DateOnly))
}

func TestDefinitePlans(t *testing.T) {
	for question, want := range map[string]bool{
		"When is the wedding?": true, "When is Noor's wedding?": true, "When is Noor’s wedding?": true, "When is James' birthday?": true,
		"When is the wedding of Noor?": true, "Wann ist Noors Hochzeit?": true, "Wann ist die Hochzeit von Noor?": true,
		"¿Cuándo es la boda de Noor?": true, "诺尔的婚礼是什么时候?": true,
		"When is world cup?": false, "When's Noor married?": false, "When is Noor's second wedding party?": false,
		"Wann hat Angela Merkel Geburtstag?": false, "When was the Magna Carta signed?": false,
	} {
		p := PlanOf(question, noon)
		assert.Equal(t, want, p.When && p.Definite, question)
	}
}

func TestPlansUseUsersZone(t *testing.T) {
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
