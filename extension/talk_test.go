package extension

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/lexicon"
)

// talked is a memory of a user's with a clock that tests set.
func talked(t *testing.T, cfg Config) (*Extension, func(at time.Time, session, said, answered string)) {
	t.Helper()
	now := clock.At(time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC))
	cfg.Now, cfg.Night.NoSchedule = now.Now, true
	if cfg.Location == nil {
		cfg.Location = time.UTC
	}
	x, err := Open(context.Background(), filepath.Join(t.TempDir(), "m.db"), &cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	return x, func(at time.Time, session, said, answered string) {
		t.Helper()
		now.Set(at)
		scope := Scope{User: "ada", Session: session}
		if said != "" {
			require.NoError(t, x.Bus().Publish(context.Background(), eventbus.UserMessage(scope, said)))
		}
		if answered != "" {
			require.NoError(t, x.Bus().Publish(context.Background(), eventbus.AgentResponse(scope, answered)))
		}
	}
}

func TestPeriodIsShownInOrder(t *testing.T) {
	x, say := talked(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}}) // a core section may show them first
	ctx := context.Background()
	say(time.Date(2026, 2, 7, 10, 0, 0, 0, time.UTC), "a", "Found a brass barometer at the flea market.", "Noted.")
	say(time.Date(2026, 2, 8, 18, 0, 0, 0, time.UTC), "b", "Sang Fauré's Requiem in the town hall.", "Bravo.")
	say(time.Date(2026, 2, 10, 12, 0, 0, 0, time.UTC), "c", "", "")
	s, err := x.Session(Scope{User: "ada", Session: "c"})
	require.NoError(t, err)

	found, err := s.Preview(ctx, "What was on last weekend?")
	require.NoError(t, err)
	require.Len(t, found.Items, 2)
	assert.Regexp(t, `(?s)barometer.*Requiem`, found.Block)
	assert.NotContains(t, found.Block, "Noted.")

	found, err = s.Preview(ctx, "What did I do on Thursday?")
	require.NoError(t, err)
	assert.Contains(t, found.Block, "Nothing is stored from Thu 2026-02-05; nearest is Sat 2026-02-07.")

	for _, world := range []string{"What's the weather tomorrow?", "Write a poem about last summer.", "What is the date today?", "Welcher Tag ist heute?"} {
		found, err = s.Preview(ctx, world)
		require.NoError(t, err)
		assert.Empty(t, found.Block, world)
	}
}

// A limit that the host set holds for questions about times too.
func TestLimitOfAStory(t *testing.T) {
	about := lexicon.PlanOf("What did I do last week?", time.Now())
	require.NotEmpty(t, about.Spans)
	for set, want := range map[int]int{0: storyLimit, DefaultInjectionLimit: DefaultInjectionLimit, 5: 5} {
		cfg, err := (&Config{Injection: InjectionConfig{Limit: set}}).WithDefaults()
		require.NoError(t, err)
		again, err := cfg.WithDefaults()
		require.NoError(t, err)
		require.Equal(t, want, searchLimit(&about, &cfg))
		require.Equal(t, want, searchLimit(&about, &again))
	}
	cfg, err := new(Config).WithDefaults()
	require.NoError(t, err)
	require.Equal(t, DefaultInjectionLimit, searchLimit(new(lexicon.Plan), &cfg))
}

// The talk belongs to a conversation, whichever session object of its name asks, and ends
// with a pause.
func TestTalkBelongsToConversation(t *testing.T) {
	x, say := talked(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}}) // a core section would show it whatever the talk
	say(time.Date(2026, 2, 2, 10, 0, 0, 0, time.UTC), "a", "Odile and Rashid marry on 20 June in the boathouse at Walden.", "How lovely.")
	say(time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC), "b", "The cat takes half a tablet of thyroid medicine.", "Poor cat.")
	asked := time.Date(2026, 2, 9, 10, 0, 0, 0, time.UTC)
	say(asked, "", "", "")
	ask := func(session, question string) string {
		s, err := x.Session(Scope{User: "ada", Session: session})
		require.NoError(t, err)
		found, err := s.Context(t.Context(), question)
		require.NoError(t, err)
		return found.Block
	}
	ask("c", "When do Odile and Rashid marry?")
	assert.Contains(t, ask("c", "And where?"), "boathouse")
	assert.NotContains(t, ask("d", "And where?"), "boathouse", "another conversation")
	ask("", "When do Odile and Rashid marry?")
	assert.NotContains(t, ask("", "And where?"), "boathouse", "without a name each session is another")
	say(asked.Add(7*time.Hour), "", "", "")
	assert.NotContains(t, ask("c", "And where?"), "boathouse", "after a pause")
}

// What is kept of a talk is bounded: the ends of long answers, and nothing of a talk at rest
// once there are others.
func TestTalkIsBounded(t *testing.T) {
	x, say := talked(t, Config{})
	key := "sk-ant-api03-" + strings.Repeat("Ab3dEf6hIj", 9) + "-AbCdEfGhAA"
	at := time.Date(2026, 2, 2, 10, 0, 0, 0, time.UTC)
	say(at, "", "", "")
	s, err := x.Session(Scope{User: "ada", Session: "a"})
	require.NoError(t, err)
	s.hasAnswered("It begins. " + strings.Repeat("é", 979) + " " + key + " " + strings.Repeat("é", 1<<20) + " It ends.")
	said := s.talk().last(x.cfg.Now())
	require.LessOrEqual(t, len(said), 2*answerEnds+1)
	require.True(t, strings.HasPrefix(said, "It begins.") && strings.HasSuffix(said, "It ends."))
	require.True(t, utf8.ValidString(said))
	require.NotContains(t, said, key[:12])

	say(at.Add(7*time.Hour), "", "", "")
	require.Len(t, s.own.talk.said, 1)
	_, err = x.Session(Scope{User: "ada", Session: "b"})
	require.NoError(t, err)
	require.Empty(t, s.own.talk.said)
}

// A question that goes on from one about another time is about that time.
func TestQuestionAboutAnotherTimeFollows(t *testing.T) {
	x, say := talked(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}}) // a core section may show them first
	say(time.Date(2026, 2, 7, 10, 0, 0, 0, time.UTC), "a", "The plumber comes on 11 February at ten.", "Noted.")
	say(time.Date(2026, 2, 8, 18, 0, 0, 0, time.UTC), "b", "We rehearse Fauré's Requiem on 13 February.", "Bravo.")
	say(time.Date(2026, 2, 10, 12, 0, 0, 0, time.UTC), "", "", "") // a Tuesday
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	for question, shown := range map[string]string{
		"What do I have tomorrow?": "plumber", "And tomorrow?": "plumber", "Und morgen?": "plumber", "¿Y mañana?": "plumber", "那明天呢?": "plumber",
		"What about Friday?": "Requiem", "Und am Freitag?": "Requiem", "¿Y el viernes?": "Requiem", "那周五呢?": "Requiem",
	} {
		found, err := s.Preview(t.Context(), question)
		require.NoError(t, err)
		assert.Contains(t, found.Block, shown, question)
	}
}

// The running conversation is not the last one, though neither has a name.
func TestLastTalkOfSessionWithoutAName(t *testing.T) {
	x, say := talked(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}}) // a core section may show them first
	at := time.Date(2026, 2, 9, 10, 0, 0, 0, time.UTC)
	say(at, "", "Carved a lantern out of a pumpkin.", "Lovely.")
	say(at.Add(time.Hour), "", "", "")
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	say(at.Add(61*time.Minute), "", "Looking at maps of Madeira.", "Nice.")
	found, err := s.Preview(t.Context(), "What did we talk about last time?")
	require.NoError(t, err)
	require.Contains(t, found.Block, "lantern")
	require.NotContains(t, found.Block, "Madeira")
}

// Why explains the search behind an injection: each of its results at its rank.
func TestWhyExplainsAnInjection(t *testing.T) {
	x, say := talked(t, Config{})
	say(time.Date(2026, 1, 7, 10, 0, 0, 0, time.UTC), "a", "Found a brass barometer at the flea market.", "Noted.")
	say(time.Date(2026, 1, 8, 18, 0, 0, 0, time.UTC), "b", "Sang Fauré's Requiem in the town hall.", "Bravo.")
	say(time.Date(2026, 2, 10, 12, 0, 0, 0, time.UTC), "c", "What is there to do?", "")
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	for _, question := range []string{"What did I do last month?", "Where is the barometer from?"} {
		found, err := s.Preview(t.Context(), question)
		require.NoError(t, err)
		require.NotEmpty(t, found.Answer.Results)
		for i, r := range found.Answer.Results {
			why, err := s.Why(t.Context(), found.Query, r.Memory.UID)
			require.NoError(t, err)
			require.Equal(t, recall.Returned, why.Outcome, "%s: %s", r.Memory.Content, why.Reason)
			require.Equal(t, i+1, why.Result.Rank)
			require.Equal(t, r.Why, why.Result.Why)
		}
	}
}

func TestTimesUseLocation(t *testing.T) {
	auckland, err := time.LoadLocation("Pacific/Auckland")
	require.NoError(t, err)
	x, say := talked(t, Config{Location: auckland, CoreMemory: CoreMemoryConfig{ProfileTokens: -1}})        // a core section may show them first
	say(time.Date(2026, 2, 9, 20, 0, 0, 0, time.UTC), "a", "Repaired the accordion with goat leather.", "") // the 10th there
	say(time.Date(2026, 2, 10, 8, 0, 0, 0, time.UTC), "b", "Glazed three windows of the boathouse.", "")    // the 10th
	say(time.Date(2026, 2, 10, 20, 0, 0, 0, time.UTC), "c", "", "")                                         // the 11th
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	found, err := s.Preview(context.Background(), "What did I do yesterday?")
	require.NoError(t, err)
	assert.Len(t, found.Items, 2)
}

func TestFollowUpQuestions(t *testing.T) {
	x, say := talked(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}}) // a core section would show it whatever the talk
	ctx := context.Background()
	say(time.Date(2026, 2, 2, 10, 0, 0, 0, time.UTC), "a", "Odile and Rashid marry on 20 June in the boathouse at Walden.", "How lovely.")
	say(time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC), "b", "The cat takes half a tablet of thyroid medicine.", "Poor cat.")
	say(time.Date(2026, 2, 9, 10, 0, 0, 0, time.UTC), "", "", "")
	ask := func(s *Session, question string) string {
		found, err := s.Preview(ctx, question)
		require.NoError(t, err)
		_, err = WrapModel(llmtest.Says("On 20 June."), s).GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, question)})
		require.NoError(t, err)
		return found.Block
	}
	s, err := x.Session(Scope{User: "ada"}) // without a name: nothing but this object knows the talk
	require.NoError(t, err)
	ask(s, "When do Odile and Rashid marry?")
	assert.Contains(t, ask(s, "And where?"), "boathouse")
	ask(s, "Thanks!")
	assert.Contains(t, ask(s, "Und wo genau?"), "boathouse", "a courtesy changes no subject")
	ask(s, "How much thyroid medicine does the cat take?")
	block := ask(s, "And when?")
	assert.Contains(t, block, "thyroid")

	other, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	assert.NotContains(t, ask(other, "And where?"), "boathouse", "another session without a name is another talk")

	// A named session is known from what is stored of it.
	say(time.Date(2026, 2, 9, 11, 0, 0, 0, time.UTC), "named", "When do Odile and Rashid marry?", "On 20 June.")
	named, err := x.Session(Scope{User: "ada", Session: "named"})
	require.NoError(t, err)
	assert.Contains(t, ask(named, "And where?"), "boathouse")
}
