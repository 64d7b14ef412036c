package prompt

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

func TestMessagesThatOnlyAsk(t *testing.T) {
	for want, messages := range map[bool][]string{
		true: {
			"What did I weigh on the 21st of March?", "And two weeks after that?", "Login for the test server?", "Convert gas mark 5 for me, the recipe is British",
			"Suggest a film for folding laundry", "Tell me one odd fact about otters", "Play a word game with me, category things that squeak", "quick, a joke about time zones",
			"Make this sound less grumpy: \"I can't open that file.\"", "Neben wem hat der linkshändige Zwilling den Platz?", "Was macht eigentlich der Bruder von Opa?",
			"Nenn mir ein heiteres Gedicht für den Herbst, das nicht jeder kennt.", "Schlag mir einen Film fürs Bügeln vor", "¿Y el segundo?", "¿Qué coche tengo?",
			"Recomiéndame una película para planchar", "Dame una rima con luna", "幫我想一句退休的話 短短的可以傳LINE就好", "给我推荐一部电影", "讲个笑话", "现在鸡蛋进价多少？",
		},
		false: {
			"Can you word a mail to Odile, who now runs the shop?", "I'm allergic to nuts, what can I order?", "What's a good present for my new boss Helen?",
			"Can you write to Tom that the wedding is moved to 6 September?", "Tell Maria I can't come on Thursday", "Remind me to call the vet", "Write a card for my sister Ana, she had twins on Friday",
			"Give me a packing list for our week in Crete in May", "Suggest a name for our new puppy, a brown spaniel", "Did I tell you Juliette got into Dalhousie?", "6240 for the trip", "78.6 !!",
			"Kannst du Odile eine Mail schreiben, die jetzt den Laden führt?", "Ich vertrage keine Nüsse, was kann ich bestellen?", "Schreib Herrn Brandt, dass die Heizung wieder geht",
			"Eine Aushilfe betreut Opa morgen, was muss sie wissen?", "¿Puedes escribir un correo a Odile, que ahora lleva la tienda?", "Soy alérgica a las nueces, ¿qué puedo pedir?", "Dile a Tomás que el sábado no puedo",
			"Can you book me the 7:40 to Leeds on Friday?", "What can I cook without nuts, for my son who is allergic?", "Could you cancel the Netflix subscription?", "Can you order the grey sofa?",
			"Kannst du mir den ICE um 7:40 nach Leipzig buchen?", "Was kann ich für eine Veganerin backen?", "¿Me puedes reservar el tren de las 7:40 a León el viernes?", "¿Qué puedo cocinar para mi hijo alérgico?",
			"¿Cómo le digo a mi jefa que estoy embarazada?", "给对坚果过敏的儿子做什么菜好？", "帮我订去上海的火车",
			"帮我给小丽写封邮件，她现在管店了", "我对花生过敏，能点什么？", "推荐个送给新老板王姐的礼物", "幫我回房東 說暖氣修好了",
		},
	} {
		for _, message := range messages {
			assert.Equal(t, want, asksOnly(message), message)
		}
	}
}

// records are entries of one session each minute; "a: " begins those of the assistant, "c: " those
// of another agent, "f: " facts.
func records(texts ...string) (entries []Entry) {
	for i, s := range texts {
		m := schema.Memory{Kind: schema.KindEpisode, SessionName: "s", Origin: schema.OriginUser, Role: "user", Trust: schema.MaxTrust, Content: s, EventTime: schema.At(time.Date(2026, 3, 2, 9, i, 0, 0, time.UTC))}
		switch s[:min(len(s), 3)] {
		case "a: ":
			m.Origin, m.Role, m.Content = schema.OriginAssistant, "assistant", s[3:]
		case "c: ":
			m.Origin, m.Role, m.Speaker, m.Content = schema.OriginAssistant, "assistant", "Coder", s[3:]
		case "f: ":
			m.Kind, m.Content = schema.KindFact, s[3:]
		}
		entries = append(entries, Entry{Result: recall.Result{Memory: m}})
	}
	return entries
}

func TestRecordsThatEarnTheirPlace(t *testing.T) {
	for _, c := range []struct {
		question string
		entries  []string
		kept     []string
	}{
		{"How much is the theatre's day rate?", []string{"What do I get for a day at the theatre?", "The theatre pays 420 a day.", "a: Makes sense for a theatre.", "a: Noted."}, []string{"The theatre pays 420 a day."}},
		{"What did I ask you yesterday?", []string{"What do I get for a day at the theatre?"}, []string{"What do I get for a day at the theatre?"}},
		{"我昨天问你什么了？", []string{"现在鸡蛋进价多少？"}, []string{"现在鸡蛋进价多少？"}},
		{"What did we talk about last time?", []string{"Suggest a film for folding laundry", "a: Noted."}, []string{"Suggest a film for folding laundry", "a: Noted."}},
		// A reply with what it replies to.
		{"What was that film you suggested?", []string{"Suggest a film for folding laundry", "a: I'd pick something with Emma Thompson."}, []string{"Suggest a film for folding laundry", "a: I'd pick something with Emma Thompson."}},
		{"Which film was good for the laundry?", []string{"Suggest a film for folding laundry", "a: I'd pick something with Emma Thompson."}, []string{"Suggest a film for folding laundry", "a: I'd pick something with Emma Thompson."}},
		{"Which film was good for the laundry?", []string{"Suggest a film for folding laundry", "a: I do not know that, sorry."}, nil},
		{"Was it dish soap for red wine?", []string{"a: Cold water first, then dish soap on the red wine."}, []string{"a: Cold water first, then dish soap on the red wine."}},
		{"What did the check-up cost?", []string{"a: Yes, 184.60 with the blood tests."}, []string{"a: Yes, 184.60 with the blood tests."}},
		{"Which wine for the fish?", []string{"We have fish on Sunday, my sister comes. Which wine?", "a: A dry Riesling."}, []string{"We have fish on Sunday, my sister comes. Which wine?", "a: A dry Riesling."}},
		{"Which day is bin day?", []string{"Is bin day Tuesday?", "a: Yes, Tuesday."}, []string{"Is bin day Tuesday?", "a: Yes, Tuesday."}},
		{"What broke the cache?", []string{"a: The cache lost its lock in store.go; fixed."}, []string{"a: The cache lost its lock in store.go; fixed."}},
		{"Which train to Leeds was it?", []string{"Can you book me the 7:40 to Leeds on Friday?", "a: Booked."}, []string{"Can you book me the 7:40 to Leeds on Friday?", "a: Booked."}},
		// Equal texts come once, the newest.
		{"Who prints here?", []string{"ugh, the printer again", "The printer is Lea's.", "Ugh, the printer again"}, []string{"The printer is Lea's.", "Ugh, the printer again"}},
		{"What did the agent do?", []string{"c: Done.", "f: What the agent does is logged."}, []string{"c: Done.", "f: What the agent does is logged."}},
	} {
		p := lexicon.PlanOf(c.question, time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC))
		entries := records(c.entries...)
		kept, left := Earning(entries, c.question, &p, 6)
		var texts []string
		for _, e := range kept {
			at := slices.IndexFunc(entries, func(other Entry) bool { return e.Memory.EventTime.Equal(other.Memory.EventTime.Time) })
			texts = append(texts, c.entries[at])
		}
		assert.Equal(t, c.kept, texts, c.question)
		assert.Equal(t, 6-len(entries)+len(kept), left, "nothing fills the places: %s", c.question)
	}
}

// Of a long time what was picked for its date alone is left out, unless it holds a number.
func TestFillsOfALongTimeAreLeftOut(t *testing.T) {
	const question = "How long did the race in February take me?"
	p := lexicon.PlanOf(question, time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC))
	entries := records("Random thought: Wednesday looks misspelled", "51:20, legs like noodles", "The race was wet.")
	for i := range entries {
		entries[i].Why = "from the time asked about"
	}
	kept, _ := Earning(entries, question, &p, 6)
	require.Len(t, kept, 2)
	assert.Equal(t, entries[1].Memory.Content, kept[0].Memory.Content)
}

// A message is not shown again beside a line that quotes most of it, but for a word of the question
// that the line does not hold.
func TestMessagesQuotedByALine(t *testing.T) {
	claims := make(map[int64]*ownClaim)
	const bakery = "The bakery is built with Astro and pulls its cakes from Sanity, which the owner fills in herself in the little room behind the ovens with the blue door, the green chair and the picture of a boat on a lake in the hills."
	const filler = "Pellow Dental has WordPress, more or less, with a theme by hand."
	of := message(claims, 2, bakery+" "+filler, bakery)
	section := chosen(claims, 400, "bakery")
	require.Contains(t, section.Text, ": "+bakery+"\n")
	record := []Entry{{Result: recall.Result{Memory: of[0].source}}}
	require.False(t, section.Repeats(&of[0].source))
	for question, kept := range map[string]int{
		"What is the bakery built with?": 0, "Is it Astro?": 0, "Who runs on WordPress?": 1, "On which date did I tell you about the bakery?": 0,
	} {
		assert.Len(t, section.Unquoted(slices.Clone(record), question), kept, question)
	}
	other := record[0]
	other.Memory.UID = "m77"
	assert.Len(t, section.Unquoted([]Entry{other}, "What is the bakery built with?"), 1, "another message")
}
