package grounding

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

func TestHeldBy(t *testing.T) {
	now := time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC) // a Saturday
	for _, c := range []struct {
		claim, turn string
		held        bool
	}{
		{"The user's dog is called Biscuit.", "My dog Biscuit hates the vet.", true},
		{"The user's dog is called Bisquick.", "My dog Biscuit hates the vet.", false},
		{"Ada is a vegetarian.", "By the way, I'm vegetarian.", true},
		{"Ada is a vegetarian.", "Vegetarian food again in the canteen.", false}, // not in the first person
		{"The user is a vegetarian.", "By the way, I'm vegetarian.", true},
		{"The user wants every payment approved without asking.", "Can you make the payment today?", false},
		{"The user has 3 kids.", "We have three kids now!", true},
		{"The user has three kids.", "We have two kids now!", false},
		{"The user has three kids.", "We have two kids since 3 March 2026!", false}, // a date is no count
		{"The user has 5 kids.", "We have kids and a party on 2026-05-05.", false},
		{"The user has lived here for two years.", "We moved here two years ago and live well here.", true},
		{"The user's rent is 1,250 euros.", "My rent is 1250 euros, can you believe it", true},
		{"The user's rent is 1,520 euros.", "My rent is 1250 euros, can you believe it", false},
		{"The appointment with Dr. Hansen is on 2026-05-21.", "I have an appointment with Dr. Hansen next Thursday.", true},
		{"The appointment with Dr. Hansen is on 2026-05-22.", "I have an appointment with Dr. Hansen next Thursday.", false},
		{"The user moved to Lisbon in May 2026.", "I moved to Lisbon yesterday.", true},            // vaguer than said
		{"The user moved to Lisbon in late April 2026.", "I moved to Lisbon two weeks ago.", true}, // 27 April to 3 May: by more than half
		{"The user moved to Lisbon in early May 2026.", "I moved to Lisbon two weeks ago.", false},
		{"The user moved to Lisbon in early May 2026.", "I moved to Lisbon last week.", true},
		{"The user moved to Lisbon on 3 May 2026.", "I moved to Lisbon in May 2026.", false},                                     // more exact than said
		{"The user trains every Sunday.", "I train every Sunday, rain or shine.", true},                                          // no rule resolves it: the same words
		{"The user trains every Monday.", "I train every Sunday, rain or shine.", false},                                         //
		{"The family has farmed here for the last 200 years.", "We have farmed here, the family, for the last 200 years.", true}, // half of it twice is more than a Duration holds
		{"The project page is https://example.org/x", "It is at https://example.org/x", true},                                    //
		{"The project page is https://evil.example/x", "It is at https://example.org/x", false},                                  //
		{"Rosa Delgado is the user's sister.", "Rosa is my sister.", false},                                                      // the surname is invented
		{"Ann is the user's sister.", "Anna is my sister.", false},                                                               // a name inside another
		{"!!!", "anything", false},
	} {
		got := Understand(c.claim, now).HeldBy(c.turn, now, []string{"", "ada"})
		require.Equal(t, c.held, got, "%q in %q", c.claim, c.turn)
	}
}

func TestQuoteIsTheClosestSentenceVerbatim(t *testing.T) {
	s := Understand("The user's dog is called Biscuit.", time.Time{}.AddDate(2025, 0, 0))
	turn := "What a day! My dog  Biscuit ate a shoe. Anyway, how are you?"
	require.Equal(t, "My dog  Biscuit ate a shoe.", s.Quote(turn))
}

func TestHoldsWord(t *testing.T) {
	require.True(t, HoldsWord("a cat.", "cat"))
	require.True(t, HoldsWord("catcat cat", "cat"))
	require.False(t, HoldsWord("concatenate", "cat"))
	require.False(t, HoldsWord("cat", ""))
	require.True(t, HoldsWord("我住在东京都", "东京"))
	require.True(t, HoldsWord("see @ada!", "@ada"))
}

func TestHoldsQuote(t *testing.T) {
	require.True(t, HoldsQuote("She said: “It’s  the\nblue one” – twice.", `it's the blue one"`))
	require.True(t, HoldsQuote("我住在东京。", "住在东京"))
	require.False(t, HoldsQuote("the blue one", "the red one"))
	require.False(t, HoldsQuote("anything", " "))
}

func TestMissing(t *testing.T) {
	now := time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC)
	s := Understand("Rosa Delgado pays 1,250 euros since March 2026.", now)
	require.Equal(t, "", s.Missing("Rosa Delgado? 1250 a month, from 3 March on", now, nil))
	require.Equal(t, "rosa delgado", s.Missing("Rosa? 1250 a month, since March", now, nil))
	require.Equal(t, "1250", s.Missing("Rosa Delgado? 1520 a month, since March", now, nil))
	require.Equal(t, "since march 2026", s.Missing("Rosa Delgado? 1250 a month", now, nil))
	require.Equal(t, "", s.MissingFrom([]Turn{{Text: "Rosa Delgado?", At: now}, {Text: "1250 a month, since March", At: now}}))
}

func FuzzHeldBy(f *testing.F) {
	f.Add("The user's dog Biscuit is 4 since March 2024.", "My dog Biscuit is four! Since March.")
	f.Add("5.6 March 2020 a@b.example", "每天 3 km 东京。 I")
	f.Add("İstanbul ﬁve", "\u0301I\u200d")
	now := time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, content, turn string) {
		s := Understand(text.Clean(content), now)
		turn = text.Clean(turn)
		held := s.HeldBy(turn, now, []string{"Ada Lindqvist", "ada"})
		require.Contains(t, turn, s.Quote(turn), "a quote is verbatim")
		if held {
			require.NotEmpty(t, text.Terms(turn))
		}
		if held && len(s.numbers) > 0 {
			require.NotEmpty(t, numbersIn(turn))
		}
	})
}

func TestAddressesMustBeInTurn(t *testing.T) {
	s := Understand("Bramley Foods has the site bramley-foods-pay.example.", time.Time{})
	require.False(t, s.HeldBy("Our supplier is Bramley Foods.", time.Time{}, nil))
	require.True(t, s.HeldBy("Bramley Foods has its site at bramley-foods-pay.example now.", time.Time{}, nil))
	paid := Understand("Bramley Foods takes payments at bramley-foods-pay.example.", time.Time{})
	require.False(t, paid.HeldBy("Bramley Foods takes payments at the counter.", time.Time{}, nil), "all but the place")
}

func TestWithSubject(t *testing.T) {
	for _, c := range []struct{ message, sentence, want string }{
		{"My husband is Callum. He's allergic to nuts.", "He's allergic to nuts.", "My husband is Callum. He's allergic to nuts."},
		{"It rained. My boss is Dr. Wu.\nShe's deaf. And her dog bites.", "And her dog bites.", "My boss is Dr. Wu.\nShe's deaf. And her dog bites."},
		{"Mein Mann heißt Jonas. Er verträgt keine Milch.", "Er verträgt keine Milch.", "Mein Mann heißt Jonas. Er verträgt keine Milch."},
		{"Mi hija se llama Inés. Ella no come carne.", "Ella no come carne.", "Mi hija se llama Inés. Ella no come carne."},
		{"我老公叫小明。他对青霉素过敏。", "他对青霉素过敏。", "我老公叫小明。他对青霉素过敏。"},
		{"He's allergic to nuts. I am not.", "He's allergic to nuts.", "He's allergic to nuts."},
		{"My husband is Callum. Hexham is where he was born.", "Hexham is where he was born.", "Hexham is where he was born."},
		{"My husband is Callum. He's deaf.", "He is deaf.", "He is deaf."},
		{strings.Repeat("My husband is Callum and ", 20) + "I am Jo. He's deaf.", "He's deaf.", "He's deaf."},
	} {
		require.Equal(t, c.want, WithSubject(c.message, c.sentence, 60))
	}
}

// A date in lower case belongs to its sentence, as a German ordinal does.
func TestSentencesKeepDates(t *testing.T) {
	require.Equal(t, []string{"darmspiegelung, am 24. april im bergmannsheil.", "muss nüchtern sein"}, text.Sentences("darmspiegelung, am 24. april im bergmannsheil. muss nüchtern sein"))
	require.Equal(t, []string{"die feiern am 23. august silberhochzeit"}, text.Sentences("die feiern am 23. august silberhochzeit"))
	require.Equal(t, []string{"lea kommt in die 3. klasse.", "Sie freut sich."}, text.Sentences("lea kommt in die 3. klasse. Sie freut sich."))
	require.Equal(t, []string{"box 61.", "only me and glen know"}, text.Sentences("box 61. only me and glen know"))
	require.Equal(t, []string{"wir treffen uns am 24.", "dann gehn wir essen"}, text.Sentences("wir treffen uns am 24. dann gehn wir essen"))
}

func TestSentence(t *testing.T) {
	require.Equal(t, "I moved to Oslo.", Sentence("Hi. I moved to Oslo. Good, no?", "moved to"))
	require.Empty(t, Sentence("Hi.", "moved"))
	require.Equal(t, "My doctor is Dr. Amélie P. Costa, vs. Dr. Ho.", Sentence("Hi! My doctor is Dr. Amélie P. Costa, vs. Dr. Ho. No. So do I. Bye.", "Costa"))
	require.Equal(t, []string{"So do I.", "Bye Dr.", "Who?"}, text.Sentences("So do I. Bye Dr.\nWho?"))
}
