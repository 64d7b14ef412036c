package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/schema"
)

func TestRelevanceSeparatesTopics(t *testing.T) {
	db := open(t)
	var turns []turn
	for i, said := range []string{
		"Ottilie teaches the violin in Ghent on Thursdays.", "The kettle is broken again.", "We planted tomatoes behind the shed.",
		"My brother Marek drives a tram.", "The library closes at eight.", "I repaired the blue bicycle with a spoon.",
	} {
		for j := range 8 { // enough of a memory for a missing word to say something
			turns = append(turns, turn{session: string(rune('a' + j)), speaker: "Ada", role: "user", text: said, minutes: 10*j + i})
		}
	}
	say(t, db, ada, turns...)
	s := New(db, Options{})
	for _, test := range []struct {
		question string
		on       bool
	}{
		{"What does Ottilie teach in Ghent?", true},
		{"Who drives a tram?", true},
		{"What did Ada repair the bicycle with?", true},
		{"When does the library close?", true},
		{"Which submarine did Captain Brannigan torpedo near Reykjavik?", false},
		{"When did Caroline adopt her library hamster in Toronto?", false},
	} {
		answer := search(t, s, Query{Text: test.question})
		require.Equal(t, test.on, answer.Relevance >= 0.5, "%s: %.2f %v", test.question, answer.Relevance, answer.Grounds)
		for _, r := range answer.Results {
			require.LessOrEqual(t, r.Relevance, answer.Relevance+1e-12)
			require.Contains(t, r.Explain(), "relevance")
		}
	}
}

func TestRelevanceInChinese(t *testing.T) {
	db := open(t)
	var turns []turn
	for i, said := range []string{
		"我上个月开始学潜水了，教练以前是海军。", "我家的猫咪又胖了，现在七公斤。", "书店的招牌是新来的店员画的。",
		"今天天气真好，我们去公园走走吧。", "妈妈的手术很顺利，谢谢你。", "我把蓝色的自行车修好了。",
	} {
		for j := range 8 {
			turns = append(turns, turn{session: string(rune('a' + j)), speaker: "林晓", role: "user", text: said, minutes: 10*j + i})
		}
	}
	say(t, db, ada, turns...)
	s := New(db, Options{})
	for question, on := range map[string]bool{
		"我的潜水教练以前是做什么的？": true,
		"猫咪现在多重？":        true,
		"书店的招牌是谁画的？":     true,
		"哪艘军舰在雷克雅未克沉没了？": false,
		"你给我推荐过哪家素食餐厅？":  false,
	} {
		answer := search(t, s, Query{Text: question})
		require.Equal(t, on, answer.Relevance >= 0.5, "%s: %.2f %v", question, answer.Relevance, answer.Grounds)
	}
}

// A result that matches only the name of a speaker is not relevant to a question about
// something never mentioned.
func TestSpeakerAloneIsNotRelevant(t *testing.T) {
	db := open(t)
	var turns []turn
	for i := range 60 {
		turns = append(turns, turn{session: "a", speaker: "Marek", role: "user", text: "The tram was late again. I am Marek.", minutes: i})
	}
	ids := say(t, db, ada, turns...)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, ada)
		if err != nil {
			return err
		}
		marek, err := tx.CreateEntity(ctx, user, "person", "Marek", 1)
		if err != nil {
			return err
		}
		return tx.LinkEntity(ctx, ids[0], marek.ID, "Marek", 1)
	}))
	s := New(db, Options{})
	require.Greater(t, search(t, s, Query{Text: "Which tram does Marek drive?"}).Relevance, 0.5)
	answer := search(t, s, Query{Text: "Is Marek a vegetarian?"})
	require.NotEmpty(t, answer.Results)
	require.Zero(t, answer.Relevance, "%v", answer.Grounds)
	for _, r := range answer.Results {
		require.Zero(t, r.Relevance)
	}
}

// What the prompt holds already is not known by it.
func TestRelevanceIgnoresSkipped(t *testing.T) {
	const question = "Which submarine did Captain Brannigan torpedo near Reykjavik?"
	const statement = "Captain Brannigan says he did torpedo a submarine near Reykjavik."
	without, with := open(t), open(t)
	for range 60 {
		say(t, without, ada, turn{role: "user", text: "The library closes at eight, near the harbour."})
		say(t, with, ada, turn{role: "user", text: "The library closes at eight, near the harbour."})
	}
	say(t, with, ada, turn{role: "user", text: statement})
	skip := func(m *schema.Memory) bool { return m.Content == statement }
	require.Greater(t, search(t, New(with, Options{}), Query{Text: question}).Relevance, 0.7, "it is said there")
	a, b := search(t, New(without, Options{}), Query{Text: question, Skip: skip}), search(t, New(with, Options{}), Query{Text: question, Skip: skip})
	require.InDelta(t, a.Relevance, b.Relevance, 0.02)
}

// That something was asked before, and what was said for want of an answer, is
// no answer; unless it is asked about.
func TestEchoesAreNotAnswers(t *testing.T) {
	for _, test := range []struct{ said, asked, unknown, about string }{
		{"I drive a green Skoda, such a lovely car.", "Which car do I drive?", "I do not know that, sorry.", "What did I ask about my car?"},
		{"Ich fahre einen grünen Skoda, ein tolles Auto.", "Welches Auto fahre ich?", "Das weiß ich leider nicht.", "Was habe ich dich über mein Auto gefragt?"},
		{"Tengo un coche verde, un Skoda.", "¿Qué coche tengo?", "No lo sé, lo siento.", "¿Qué te pregunté sobre mi coche?"},
		{"我开一辆绿色的车，是斯柯达。", "我开什么车？", "抱歉，我不知道。", "我问了什么关于车的问题？"},
	} {
		db := open(t)
		turns := []turn{{session: "first", role: "user", text: test.said}}
		for day := range 4 {
			turns = append(turns,
				turn{session: fmt.Sprint(day), role: "user", text: test.asked, minutes: 2 * day},
				turn{session: fmt.Sprint(day), role: "assistant", text: test.unknown, minutes: 2*day + 1})
		}
		say(t, db, ada, turns...)
		s := New(db, Options{})
		answer := search(t, s, Query{Text: test.asked})
		require.Equal(t, test.said, answer.Results[0].Memory.Content, "%v", texts(answer))
		require.NotEqual(t, texts(answer)[1], texts(answer)[2], "equal texts come once")
		require.Contains(t, texts(search(t, s, Query{Text: test.about}))[:2], test.asked)

		alone := open(t)
		say(t, alone, ada, turns[1:]...)
		s = New(alone, Options{})
		require.Equal(t, test.asked, search(t, s, Query{Text: test.asked}).Results[0].Memory.Content, "nothing is hidden")
	}
}

// A number that names a thing is enough, whatever the form of the question; an amount or a year is
// not.
func TestARareNumberIdentifies(t *testing.T) {
	db := open(t)
	turns := []turn{
		{session: "ci", role: "assistant", text: "CI run 881 failed, the linter timed out."}, {session: "ci", role: "assistant", text: "Ticket 5512 is about blank pages.", minutes: 1},
		{session: "home", role: "user", text: "Take 250 ml of milk for the pancakes.", minutes: 2}, {session: "home", role: "user", text: "We moved in the summer of 2019.", minutes: 3},
	}
	for i, of := range []string{"garden", "piano", "harbour", "kitchen", "bicycle", "lighthouse", "orchard", "museum", "railway", "theatre"} {
		for j, does := range []string{"needs water", "is painted blue", "was closed for a week", "smells of rain"} {
			turns = append(turns, turn{session: of, role: "user", text: "The " + of + " " + does + ".", minutes: 10 + 4*i + j})
		}
	}
	say(t, db, ada, turns...)
	s := New(db, Options{})
	for asked, holds := range map[string]string{
		"Write a post-mortem for run 881.": "run 881", "Summarise what went wrong in CI run 881.": "run 881", "Fasse den Run 881 zusammen.": "run 881",
		"Draft a reply to ticket 5512.": "5512",
	} {
		answer := search(t, s, Query{Text: asked})
		require.Contains(t, answer.Results[0].Memory.Content, holds, asked)
		require.GreaterOrEqual(t, answer.Results[0].Relevance, aboutIt, asked)
	}
	for _, asked := range []string{
		"Convert 250 ml of water to cups.", "Write a poem about the summer of 2019.", "What is 881?", "Write a post-mortem for run 882.",
		"Explain what port 5432 is for.", "Translate: the bill is 345 euros.", "Write a story about a linter.", "Draft a reply to ticket 5521.",
		"Name ten films of 2019.", "How tall is a mountain of 5512 metres in feet?",
	} {
		for _, r := range search(t, s, Query{Text: asked}).Results {
			require.Lessf(t, r.Relevance, aboutIt, "%s: %s", asked, r.Memory.Content)
		}
	}
}

func TestRelevanceIsAProbability(t *testing.T) {
	unit := rapid.Float64Range(0, 1)
	rapid.Check(t, func(t *rapid.T) {
		q := &topic{chunks: rapid.IntRange(0, 5000).Draw(t, "chunks"), terms: []string{"kettl"}, emphasis: []float64{1}, df: []int{3}, stated: []int{0}, relation: []float64{0},
			named: rapid.Bool().Draw(t, "named"), personal: rapid.Bool().Draw(t, "personal"), vectors: unit.Draw(t, "vectors"), interest: []float32{1}}
		results := make([]Result, rapid.IntRange(0, 20).Draw(t, "results"))
		for i := range results {
			s := signals{Text: unit.Draw(t, "text"), Vector: 2 * unit.Draw(t, "vector"), Window: unit.Draw(t, "window"), Time: unit.Draw(t, "time")}
			results[i] = Result{Score: 5 * unit.Draw(t, "score"), signals: s, echo: rapid.Bool().Draw(t, "echo")}
			results[i].passage.exact = parts(rapid.IntRange(0, 1).Draw(t, "holds"))
		}
		about, grounds := q.judge(results)
		require.NotEmpty(t, grounds)
		require.True(t, about >= 0 && about <= 1)
		require.Equal(t, len(results) == 0, about == 0)
		for _, r := range results {
			require.Greater(t, r.Relevance, 0.)
			require.LessOrEqual(t, r.Relevance, about)
			require.InDelta(t, about*logistic(odds(r.Grounds)), r.Relevance, 1e-12)
		}
	})
}

func TestWeightsLieBetweenTextAndVectors(t *testing.T) {
	text, vectors := []Signal{{"a", 1, 2}, {"b", 1, -1}}, []Signal{{"a", 1, 4}, {"b", 1, 1}}
	require.Equal(t, []Signal{{"a", 1, 2}, {"b", 1, -1}}, between(slices.Clone(text), vectors, 0))
	require.Equal(t, []Signal{{"a", 1, 3}, {"b", 1, 0}}, between(slices.Clone(text), vectors, 0.5))
	require.Equal(t, vectors, between(slices.Clone(text), vectors, 1))
}

func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := &topic{chunks: rapid.IntRange(1, 5000).Draw(t, "chunks")}
		for range rapid.IntRange(1, 20).Draw(t, "parts") {
			q.terms = append(q.terms, rapid.SampledFrom([]string{"kettl", "day", "2024", "submarin"}).Draw(t, "term"))
			q.emphasis = append(q.emphasis, rapid.SampledFrom([]float64{asideShare, 0.5, 1}).Draw(t, "emphasis"))
			q.df = append(q.df, rapid.IntRange(0, q.chunks).Draw(t, "df"))
			q.relation = append(q.relation, rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "relation"))
		}
		sum := 0.0
		for _, s := range q.shares() {
			require.GreaterOrEqual(t, s, 0.)
			sum += s
		}
		require.InDelta(t, 1, sum, 1e-9)
	})
}

// A word that hardly any message contains is enough, unless the question is general knowledge; not
// in a small memory, where all words are rare, and not for what was only asked.
func TestARareWordIdentifies(t *testing.T) {
	turns := []turn{
		{session: "en", role: "user", text: "my new gaffers dougie calls everyone sunshine inc the ceo im obsessed"},
		{session: "en", role: "user", text: "took kobi to ilkley on the train today just for a ride n an ice cream he waved at every cow like he was the king", minutes: 1},
		{session: "en", role: "user", text: "give our liam the spare for here hes only 5 mins away in buttershaw now", minutes: 2},
		{session: "es", role: "user", text: "hoy me llamo la mamá de una compañerita de Samuel pa un cumpleaños en un parque de inflables, y toca llevar medias antideslizantes", minutes: 3},
		{session: "de", role: "user", text: "der kupferschmied hat den zapfen noch nich fertig", minutes: 4},
		{session: "zh", role: "user", text: "度蜜月去了喀纳斯 冷死了", minutes: 5},
		{session: "off", role: "user", text: "the peru jumper shrank n the moon lamp went pop", minutes: 6},
		{session: "off", role: "user", text: "the coffee is spicy n the penguin plates are chipped", minutes: 7},
		{session: "asked", role: "user", text: "where is wetherby?", minutes: 8},
	}
	few := len(turns)
	for i, of := range []string{"rota", "conveyor", "shutter", "printer", "scanner", "canteen", "lorry", "forklift", "pallet", "locker", "barrier", "heater"} {
		for j, does := range []string{"is doing my head in again", "made that noise all shift", "went off at half six", "wants chucking out", "had a queue n no patience"} {
			turns = append(turns, turn{session: of, role: "user", text: "the " + of + " " + does, minutes: 10 + 5*i + j}, turn{session: of, role: "assistant", text: "Oh dear.", minutes: 10 + 5*i + j})
		}
	}
	large, small := open(t), open(t)
	say(t, large, ada, turns...)
	say(t, small, ada, turns[:few]...)
	for asked, holds := range map[string]string{
		"who is dougie": "dougie", "dougie": "dougie", "what does dougie call everyone": "dougie", "is dougie alright as a gaffer": "dougie",
		"ilkley": "ilkley", "train to ilkley": "ilkley", "who went to ilkley with me": "ilkley", "buttershaw": "buttershaw", "who lives in buttershaw": "buttershaw",
		"que se lleva a los inflables": "inflables", "a que hora es lo de los inflables": "inflables",
		"was is mit dem kupferschmied": "kupferschmied", "hat der kupferschmied sich gemeldet": "kupferschmied",
		"度蜜月去了哪里": "蜜月", "蜜月那次冷不冷": "蜜月",
	} {
		answer := search(t, New(large, Options{}), Query{Text: asked})
		require.Contains(t, answer.Results[0].Memory.Content, holds, asked)
		require.GreaterOrEqual(t, answer.Results[0].Relevance, aboutIt, asked)
	}
	for _, asked := range []string{
		"what is the capital of peru", "whats the capital of peru", "how far away is the moon", "what year was the first moon landing", "write a poem about a penguin",
		"how many penguin species are there", "why is coffee bitter", "wie hoch ist der moon auf englisch", "cual es la capital de Peru", "que es un penguin en español",
		"where is wetherby", "translate coffee into german",
	} {
		for _, db := range []*schema.DB{large, small} {
			for _, r := range search(t, New(db, Options{}), Query{Text: asked}).Results {
				require.Lessf(t, r.Relevance, aboutIt, "%s: %s", asked, r.Memory.Content)
			}
		}
	}
}

// A stop word that is a name finds what holds it, beside what holds the same word as a verb.
func TestANameThatIsAStopWord(t *testing.T) {
	db := open(t)
	turns := []turn{
		{session: "a", role: "user", text: "we moved to Go 1.25 in payments-api"},
		{session: "b", role: "user", text: "in web-console everything is Rust", minutes: 1},
	}
	for i, of := range []string{"linter", "handler", "cache", "pool", "build", "chart"} {
		for j, does := range []string{"has to go", "is green again", "needs a look before we go on", "wants a limit", "is full"} {
			turns = append(turns, turn{session: of, role: "user", text: "the " + of + " " + does, minutes: 10 + 5*i + j})
		}
	}
	say(t, db, ada, turns...)
	for _, asked := range []string{"which Go version are we on?", "which go version are we on", "what Go do we use in payments-api?", "is it Go 1.24 or 1.25?"} {
		at := slices.IndexFunc(search(t, New(db, Options{}), Query{Text: asked}).Results, func(r Result) bool { return strings.Contains(r.Memory.Content, "Go 1.25") })
		require.True(t, at >= 0 && at < 10, "%s: %d", asked, at)
	}
}
