package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// If the older of two lines is selected, the change is selected too, whatever the
// wording of the question.
func TestChangesAreSelfContained(t *testing.T) {
	const was, changed = "Nadia from accounts signs my expenses.", "From today Piotr signs my expenses instead."
	sentences := []string{was, changed}
	for i := range 30 {
		sentences = append(sentences, fmt.Sprintf("My shelf number %d is painted in colour %[1]d.", i+2))
	}
	lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
	chosen := lines.Ask(t.Context(), "Nadia?", "", Meaning{}, nil, time.Now()).Choose(100)
	require.Contains(t, chosen.Text, was)
	require.Contains(t, chosen.Text, changed)
	require.NotContains(t, lines.Ask(t.Context(), "shelf number 22?", "", Meaning{}, nil, time.Now()).Choose(100).Text, changed)
}

// A line that means what is asked comes before lines that share a word with it, though
// the search does not find it.
func TestLinesLikeTheQuestionByMeaning(t *testing.T) {
	const means = "The pump in our cellar gave up again."
	sentences := []string{means}
	for i := range 40 {
		sentences = append(sentences, fmt.Sprintf("The water bill number %d was paid by Ann.", i+2))
	}
	lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
	require.Len(t, lines.Claims(), len(sentences))
	ask := func(near float32) string {
		var found []recall.Result
		m := Meaning{Question: []float32{1, 0}, Of: make(map[int64][][]float32)}
		for id := range sentences[1:] {
			found = append(found, recall.Result{Memory: schema.Memory{ID: int64(id + 2)}})
			m.Of[int64(id+2)] = [][]float32{{0, 1}, {0.1, 0.99}}
		}
		m.Of[1] = [][]float32{{near, 0.1}}
		return lines.Ask(t.Context(), "How much did Ann pay for the water?", "", m, found, time.Now()).Choose(56).Text
	}
	require.NotContains(t, ask(0.1), means)
	require.Contains(t, ask(0.9), means)
}

// A question that names a thing in general words needs what the user said of it, the newest first.
func TestRareWordsOfTheQuestionComeFirst(t *testing.T) {
	for question, said := range map[string][2]string{
		"Side effects of losartan?":   {"Losartan has gone up to 100 mg, Halloran rang about it.", "She agreed, so losartan is history."},
		"Nebenwirkungen von Losartan": {"Losartan wurde auf 100 mg erhöht, die Praxis rief an.", "Sie war einverstanden, Losartan ist Geschichte."},
		"二甲双胍有什么副作用？":                 {"医生把二甲双胍加到一千。", "晚上的二甲双胍不用吃了。"},
	} {
		sentences := said[:]
		for i := range 40 {
			sentences = append(sentences, fmt.Sprintf("The doctor gave me new medicine number %d for my blood pressure, without effects on my side.", i+2))
		}
		lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
		chosen := lines.Ask(t.Context(), question, "", Meaning{}, nil, time.Now()).Choose(150)
		require.Contains(t, chosen.Text, said[0], question)
		require.Contains(t, chosen.Text, said[1], question)
		for budget := 30; budget < 150; budget += 5 {
			if text := lines.Ask(t.Context(), question, "", Meaning{}, nil, time.Now()).Choose(budget).Text; strings.Contains(text, said[0]) {
				require.Contains(t, text, said[1], "%s %d", question, budget)
			}
		}
	}
}

// The lines without those of messages are indexed once.
func TestToldOnlyIsKept(t *testing.T) {
	lines := linesOf(claimsOf(nil, "My shelf is red."), time.UTC, time.Time{})
	told, _ := lines.ToldOnly().All()
	require.Len(t, told, 1)
	require.Same(t, lines.ToldOnly(), lines.ToldOnly())
	require.NotPanics(t, func() { new(Lines).ToldOnly() })
}

// claimsOf are claims of sentences, one said each day.
func claimsOf(attributes schema.Attributes, sentences ...string) map[int64]*ownClaim {
	claims := make(map[int64]*ownClaim)
	for i, said := range sentences {
		c := &ownClaim{claim: schema.Memory{ID: int64(i + 1), Content: said, Attributes: attributes}, text: said}
		c.source = schema.Memory{ID: int64(100 + i), EventTime: schema.At(time.Date(2026, 3, 1+i, 9, 0, 0, 0, time.UTC))}
		c.readEndings()
		claims[c.claim.ID] = c
	}
	return claims
}

// Of what the user says again and again in the same words the newest is enough; what
// was kept by a tool, and what is like another line in a few words, is left alone.
func TestPhrasesThatTheUserKeepsUsingFillNoSection(t *testing.T) {
	sentences := []string{
		"Help me word a note to Ann about her garage sale.", "Just so you know, the fuse box is in the cellar.",
		"Help me word a note to Ben about the school fees.", "Just so you know, my sister lives in Porto with two dogs.",
		"Help me word a note to Eve about a lost mitten.", "Just so you know, I cannot stand raw onions in anything.",
	}
	shown := func(attributes schema.Attributes) (texts []string) {
		lines, _ := linesOf(claimsOf(attributes, sentences...), time.UTC, time.Time{}).All()
		for _, l := range lines {
			texts = append(texts, l.Text)
		}
		return texts
	}
	require.Equal(t, []string{sentences[1], sentences[3], sentences[4], sentences[5]}, shown(schema.Attributes{schema.AttrSaid: schema.SaidLasting}))
	require.Equal(t, sentences, shown(nil))
	require.Equal(t, sentences, shown(schema.Attributes{schema.AttrSaid: "claim"}), "parsed: each is a fact of its own")
}

// Facts in the same words about different people, doors or places are no repeats, and
// what happens every day is one in spite of its numbers and names.
func TestRoutineLinesWithTheirOwnNumberOrNameStay(t *testing.T) {
	shown := func(sentences ...string) (texts []string) {
		lines, _ := linesOf(claimsOf(schema.Attributes{schema.AttrSaid: schema.SaidLasting}, sentences...), time.UTC, time.Time{}).All()
		for _, l := range lines {
			texts = append(texts, l.Text)
		}
		return texts
	}
	for _, facts := range [][]string{
		{"The code for the front door at work is 7781.", "The code for the back door at work is 3320.", "The code for the drug fridge at work is 4471."},
		{"The parking app code for Otley Road surgery is 4471.", "The parking app code for Street Lane surgery is 5512.", "The parking app code for Burley Road surgery is 9004."},
		{"Anjali can't eat nuts or dairy, so I bring her own cake.", "Meera can't eat nuts or dairy, so I bring her own cake.", "Rita can't eat nuts or dairy, so I bring her own cake."},
		{"my code for the bike shed is 4411", "my code for the boiler room is 5522", "my code for the laundry is 6633", "my code for the post box is 7744"},
		{"仓库前门的密码是7781", "仓库后门的密码是3320", "仓库侧门的密码是4471"},
	} {
		require.Equal(t, facts, shown(facts...))
		again := facts[0] + " Still."
		require.Equal(t, append(slices.Clone(facts[1:]), again), shown(append(slices.Clone(facts), again)...), "of the same fact the newest is enough")
	}
	require.Equal(t, []string{"Meeting ran over by 15 minutes because Priya wanted to talk about parking."}, shown(
		"Meeting ran over by 20 minutes because Tom wanted to talk about budgets.", "Meeting ran over by 35 minutes because Ann wanted to talk about the roof.",
		"Meeting ran over by 15 minutes because Priya wanted to talk about parking."))
	require.Len(t, shown("Stau auf der Autobahn hat mich wieder aufgehalten.", "Regen auf der Autobahn hat mich wieder aufgehalten.", "Nebel auf der Autobahn hat mich wieder aufgehalten."), 1)
}

// Neighbouring sentences are one line while both are current: the other is gone when one is.
func TestASentenceThatIsGoneLeavesTheLineOfItsNeighbour(t *testing.T) {
	said := []string{"Karim has his own bakery.", "He gets up at three."}
	claims := claimsOf(schema.Attributes{schema.AttrSaid: schema.SaidLasting}, said...)
	for _, c := range claims {
		c.source = schema.Memory{ID: 100, Content: strings.Join(said, " ")}
	}
	lines, _ := linesOf(claims, time.UTC, time.Time{}).All()
	require.Len(t, lines, 1)
	require.Equal(t, strings.Join(said, " "), lines[0].Text)
	delete(claims, 2)
	lines, _ = linesOf(claims, time.UTC, time.Time{}).All()
	require.Len(t, lines, 1)
	require.Equal(t, said[0], lines[0].Text)
}

// What the user asked to keep carries the sentence that explains it.
func TestAKeptSentenceIsJoinedToItsNeighbour(t *testing.T) {
	said := []string{"Never forget this: wasps.", "With me it is a matter of five minutes, the pen is in my left pocket."}
	claims := claimsOf(schema.Attributes{schema.AttrSaid: schema.SaidLasting}, said...)
	for _, c := range claims {
		c.source = schema.Memory{ID: 100, Content: strings.Join(said, " ")}
	}
	claims[1].claim.Protected = true
	lines, _ := linesOf(claims, time.UTC, time.Time{}).All()
	require.Len(t, lines, 1)
	require.Equal(t, strings.Join(said, " "), lines[0].Text)
	require.Equal(t, Kept, lines[0].Group)
}

// What was saved is shown without what else its message says where there is no room for
// the message, so that what was only said does not displace it.
func TestSavedFactsAreShownInFewerWords(t *testing.T) {
	claims := make(map[int64]*ownClaim)
	add := func(message int, content, said string, attributes schema.Attributes) {
		c := &ownClaim{claim: schema.Memory{ID: int64(len(claims) + 1), Content: content, Attributes: attributes, Confidence: 0.6}, text: said}
		c.source = schema.Memory{ID: int64(100 + message), EventTime: schema.At(time.Date(2026, 3, 1+message, 9, 0, 0, 0, time.UTC))}
		c.readEndings()
		claims[c.claim.ID] = c
	}
	for i := range 40 {
		saved := fmt.Sprintf("Shelf %d is blue now.", i+1)
		whole := saved + " You would not believe how long it took me to find the paint for it."
		add(i, "The colour of a shelf is blue.", saved, nil)
		add(i, whole, whole, schema.Attributes{schema.AttrSaid: schema.SaidLasting})
		add(i+100, "", fmt.Sprintf("The neighbours were painting shelf %d of theirs on Sunday.", i+100), schema.Attributes{schema.AttrSaid: schema.SaidLasting})
	}
	section := linesOf(claims, time.UTC, time.Time{}).Ask(t.Context(), "Which shelf is 12?", "", Meaning{}, nil, time.Now()).Choose(960)
	require.Contains(t, section.Text, "Shelf 12 is blue now. You would not")
	for i := range 40 {
		require.Contains(t, section.Text, fmt.Sprintf("Shelf %d is blue now.", i+1))
	}
	require.Less(t, strings.Count(section.Text, "You would"), 30)
}

// A wish that is for some questions leaves its place to those that are for all, unless it
// is like the question, and what was saved is a wish in an assistant's words too.
func TestWishesForAllAnswersComeFirst(t *testing.T) {
	sentences := []string{"Please answer in short bullet points."}
	for _, dish := range []string{"leeks", "beans", "plums", "figs", "rice", "trout", "bread", "soup"} {
		sentences = append(sentences, "When I ask for a recipe with "+dish+" please answer in grams and never in cups.")
	}
	claims := claimsOf(nil, sentences...)
	const whole = "I tried to follow you with a wrench in one hand. Numbered, then. I know, I know."
	for i, said := range []string{"Numbered, then.", whole} {
		c := &ownClaim{claim: schema.Memory{ID: int64(50 + i), Content: "User now wants answers as numbered steps."}, text: said}
		if said == whole {
			c.claim.Attributes, c.claim.Content = schema.Attributes{schema.AttrSaid: schema.SaidLasting}, whole
		}
		c.source = schema.Memory{ID: 200, EventTime: schema.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))}
		c.readEndings()
		claims[c.claim.ID] = c
	}
	lines := linesOf(claims, time.UTC, time.Time{})
	section := lines.Ask(t.Context(), "How does one bleed a radiator?", "", Meaning{}, nil, time.Now()).Choose(90).Text
	require.Contains(t, section, sentences[0])
	require.Contains(t, section, ": Numbered, then.\n")
	require.NotContains(t, section, "wrench")
	require.Contains(t, lines.Ask(t.Context(), "What goes with figs?", "", Meaning{}, nil, time.Now()).Choose(90).Text, sentences[4])
}

// What leads to a question is no statement to be kept in front of others.
func TestWhatLeadsToAQuestionComesLast(t *testing.T) {
	sentences := []string{"The supplies in Viroqua are ready for pickup. Where am I headed?", "The nurse asks what I do to keep moving.", "My right knee was replaced in the spring."}
	claims := claimsOf(schema.Attributes{schema.AttrSaid: schema.SaidLasting}, sentences...)
	for _, c := range claims {
		c.claim.Confidence = 0.5
	}
	lines := linesOf(claims, time.UTC, time.Time{})
	all, _ := lines.All()
	require.Equal(t, "The supplies in Viroqua are ready for pickup.", all[0].Text)
	require.Equal(t, sentences[2], lines.Ask(t.Context(), "", "", Meaning{}, nil, time.Now()).lines[0].Text)
}

// Names that lines contain are recognised in Chinese and without capitals.
func TestNamesInAQuestion(t *testing.T) {
	lines := linesOf(claimsOf(nil, "Peter drives an ambulance", "小满四岁半", "小满怕黑", "小满不吃葱"), time.UTC, time.Time{})
	require.True(t, lines.Name("wie heißt die vom peter gleich wieder"))
	require.True(t, lines.Name("给小满买哪个"))
	require.False(t, lines.Name("wie lang kocht a weiches ei"))
	require.False(t, lines.Name("小麦怎么种"))
}

// An appointment that is over stands in the section only where the question asks about
// it; what lasts after its day, comes back or was history already always does.
func TestPastAppointmentsTakeNoRoom(t *testing.T) {
	lasting := schema.Attributes{schema.AttrSaid: schema.SaidLasting}
	now := time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ said, asks string }{
		{"I've got the dentist on 24 March", "When was I at the dentist?"},
		{"Parents' evening is next Thursday", "What did they say at parents' evening?"},
		{"Hair appointment on 21 March", "Who did my hair?"},
		{"Zahnarzt am 24. März um 9", "Wie war es beim Zahnarzt?"},
	} {
		lines := linesOf(claimsOf(lasting, c.said, "My cat is called Miso."), time.UTC, time.Time{})
		for _, budget := range []int{1000, 72} {
			require.NotContains(t, lines.Ask(t.Context(), "Which wine goes with fish?", "", Meaning{}, nil, now).Choose(budget).Text, c.said)
			require.Contains(t, lines.Ask(t.Context(), c.asks, "", Meaning{}, nil, now).Choose(budget).Text, c.said)
			require.Contains(t, lines.Ask(t.Context(), "Which wine goes with fish?", "", Meaning{}, nil, now.AddDate(0, 0, -70)).Choose(budget).Text, c.said, "it is ahead")
		}
	}
	for _, stays := range []string{
		"My birthday is on 24 March.", "Our anniversary is 21 March.", "I have worked at Kew since 2019.", "I had an operation in 2019.",
		"I had an operation in March 2019.", "My knee was replaced on 24 February.", "Yoga is every Tuesday.", "We are moving to Leeds on 3 April.",
		"I'm getting married on 12 April.", "From Monday Piotr signs my expenses.", "Choir is Tuesday nights.", "The cleaner comes on Wednesday.", "I get paid on the 25th.",
		"Mein Morgen gehört dem Garten.",
		"Blood test on 14 April for my type 1 diabetes at Dr Osei's.", "I'm in Crete until Friday, on a walking holiday",
	} {
		require.Contains(t, linesOf(claimsOf(lasting, stays), time.UTC, time.Time{}).Ask(t.Context(), "Which wine goes with fish?", "", Meaning{}, nil, now).Choose(1000).Text, stays)
	}
	kept := claimsOf(lasting, "Hair appointment on 21 March")
	kept[1].claim.Protected = true
	require.Contains(t, linesOf(kept, time.UTC, time.Time{}).Ask(t.Context(), "Which wine goes with fish?", "", Meaning{}, nil, now).Choose(1000).Text, "Hair appointment")
}

// What the user said of this day or the next comes before all that is only like the question.
func TestLinesAboutTomorrowComeFirst(t *testing.T) {
	var sentences []string
	for i := range 60 {
		sentences = append(sentences, fmt.Sprintf("My cousin number %d plays the noodle organ in a band.", i+1))
	}
	sentences = append(sentences, "The endoscopy is on 5 June at half past eight.", "The dentist is on 7 June.", "Papa died on 5 June, ten years ago.")
	lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
	shown := lines.Ask(t.Context(), "Shall I cook some noodles?", "", Meaning{}, nil, time.Date(2026, 6, 4, 22, 0, 0, 0, time.UTC)).Choose(640).Text
	require.Contains(t, shown, "endoscopy")
	require.Contains(t, shown, "Papa")
	require.NotContains(t, shown, "dentist")
	require.NotContains(t, lines.Ask(t.Context(), "Shall I cook some noodles?", "", Meaning{}, nil, time.Date(2026, 6, 2, 22, 0, 0, 0, time.UTC)).Choose(640).Text, "endoscopy")
}

// A message that says little by itself is about what was said before it.
func TestLinesAreChosenForTheTalkToo(t *testing.T) {
	const party = "Dani left her last birthday through the window."
	sentences := []string{party}
	for i := range 60 {
		sentences = append(sentences, fmt.Sprintf("My cousin number %d plays the noodle organ in a band.", i+1))
	}
	lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
	for talk, shown := range map[string]bool{"It is soon the birthday of my girl.\nWhat are you planning?": true, "": false} {
		chosen := lines.Ask(t.Context(), "And how, then?", talk, Meaning{}, nil, time.Now()).Choose(200).Text
		require.Equal(t, shown, strings.Contains(chosen, party), talk)
	}
}

// A line that the question is about is shown with what its message says around it, without a
// courtesy before and a question after that, and never with what no longer holds.
func TestLinesAreShownWithTheirMessage(t *testing.T) {
	const sol = "Good morning! Sol is my new part-timer. They/them. Catch me if I slip. Who else?"
	var sentences []string
	for i := range 40 {
		sentences = append(sentences, fmt.Sprintf("The water bill number %d was paid by Ann.", i+2))
	}
	ask := func(question string, change func(c *ownClaim)) string {
		claims := claimsOf(nil, append(sentences, "Sol is my new part-timer.")...)
		c := claims[int64(len(claims))]
		c.source.Content, c.source.Kind, c.source.Role, c.source.Origin, c.source.Trust = sol, schema.KindEpisode, "user", schema.OriginUser, schema.MaxTrust
		change(c)
		return linesOf(claims, time.UTC, time.Time{}).Ask(t.Context(), question, "", Meaning{}, nil, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)).Choose(120).Text
	}
	as := func(*ownClaim) {}
	require.Contains(t, ask("Introduce Sol.", as), "- Fri Apr 10: Sol is my new part-timer. They/them. Catch me if I slip.\n")
	require.NotContains(t, ask("Water bill number 22?", as), "They/them")
	require.Contains(t, ask("Introduce Sol.", func(c *ownClaim) { c.over = []string{"they/them."} }), "- Fri Apr 10: Sol is my new part-timer.\n", "superseded")
	require.Contains(t, ask("Introduce Sol.", func(c *ownClaim) { c.source.Content += strings.Repeat(" And so on.", 100) }), "Catch me if I slip.", "what there is room for")
	require.Contains(t, ask("Introduce Sol.", func(c *ownClaim) { c.source.Content = "Sol is my new part-timer. He starts tomorrow." }), "- Fri Apr 10: Sol is my new part-timer. He starts tomorrow.\n")
}

// A fact that rests on several sentences of a message is shown with all of them, although the
// one between adds nothing.
func TestSentencesOfAFact(t *testing.T) {
	const message = "Busy day. Sol, grad student, my part-timer. They/them. Catch me if I slip, esp in writing. Lunch was fried squid at the old harbour."
	claim := &schema.Memory{Content: "Sol (grad student, the user's part-timer) uses they/them; correct slips, especially in writing."}
	says := wordsOfClaim(claim, &schema.Memory{})
	require.Equal(t, "Sol, grad student, my part-timer. They/them. Catch me if I slip, esp in writing.", strings.Join(sentencesOf(says, "", message, nil), " "))
	require.Equal(t, "Lunch was fried squid at the old harbour.", strings.Join(sentencesOf(wordsOfClaim(&schema.Memory{Content: "The user had squid for lunch at the harbour."}, &schema.Memory{}), "", message, nil), " "))
}

// A rare word of the question takes no room that is kept for what was saved.
func TestNamedLinesLeaveTheSavedTheirRoom(t *testing.T) {
	saved := []string{
		"Allergic to penicillin.", "Takes warfarin 5 mg daily.", "Lives in Graz.", "Wife is Eva.", "Has a son, Leo.", "Works at Lidl.", "Vegetarian since 2010.",
		"Drives a Fiat.", "Plays the oboe.", "Speaks Czech.", "Born in Brno.", "Owns two cats.", "Afraid of heights.", "Prefers trains.", "Votes by mail.",
		"Blood group O negative.", "Wears size 43 shoes.", "Left-handed.", "Colour-blind.", "Hates olives.",
	}
	said := slices.Clone(saved)
	for i := range 40 {
		said = append(said, fmt.Sprintf("The caravan%s of the neighbour at the corner has been standing on our lawn for so long that the grass is yellow.", strings.Repeat("x", i)))
	}
	for _, of := range []string{"ferries", "whales", "sailors", "storms", "gulls", "cranes"} {
		said = append(said, "Halloran told me a long story of "+of+" and how the whole harbour came to a standstill because of a single loose rope in the winter.")
	}
	claims := claimsOf(nil, said...)
	for id, c := range claims {
		if int(id) > len(saved) {
			c.claim.Attributes = schema.Attributes{schema.AttrSaid: "claim"}
		}
	}
	lines := linesOf(claims, time.UTC, time.Time{})
	section := lines.Ask(t.Context(), "What should I cook tonight, Halloran style?", "", Meaning{}, nil, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)).Choose(345).Text
	shown := 0
	for _, s := range saved {
		shown += strings.Count(section, s)
	}
	require.GreaterOrEqual(t, shown, 14, section)
	require.Contains(t, section, "Halloran")
}
