package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// oneLife is a user whose memory several programs may have open.
type oneLife struct {
	t    *testing.T
	path string
	now  *clock.Simulated
	x    *Extension

	claims bool // what is only said becomes claims, too
}

func newOneLife(t *testing.T, cfg Config) *oneLife {
	t.Helper()
	l := &oneLife{t: t, path: filepath.Join(t.TempDir(), "memory.db"), now: clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))}
	l.x = l.open(cfg)
	return l
}

func (l *oneLife) open(cfg Config) *Extension {
	l.t.Helper()
	cfg.Night.NoSchedule, cfg.Location, cfg.NoClaims = true, time.UTC, !l.claims
	cfg.Now = l.now.Now
	x, err := Open(l.t.Context(), l.path, &cfg)
	require.NoError(l.t, err)
	l.t.Cleanup(func() { require.NoError(l.t, x.Close(context.Background())) })
	return x
}

func (l *oneLife) session(name string) *Session {
	l.t.Helper()
	s, err := l.x.Session(Scope{User: "ada", Session: name})
	require.NoError(l.t, err)
	return s
}

// tells says something in a session, and has the agent remember it unless claim
// is empty. It returns the claim's public id.
func (l *oneLife) tells(session, said, claim string) (uid string) {
	l.t.Helper()
	l.now.Add(time.Minute)
	s := l.session(session)
	require.NoError(l.t, l.x.Bus().Publish(l.t.Context(), eventbus.UserMessage(s.Scope(), said)))
	if claim == "" {
		return ""
	}
	return l.call(s, "remember_fact", map[string]any{"content": claim})
}

// call calls a tool and gives the public id of the first memory it names.
func (l *oneLife) call(s *Session, tool string, arguments map[string]any) (uid string) {
	l.t.Helper()
	answer := l.answer(s, tool, arguments)
	for word := range strings.FieldsSeq(answer) {
		if uid, known := s.conversation().ids.UID(strings.Trim(word, ",.;:[]()")); known {
			return uid
		}
	}
	l.t.Fatalf("%s answers %q", tool, answer)
	return ""
}

func (l *oneLife) answer(s *Session, tool string, arguments map[string]any) string {
	l.t.Helper()
	got, err := s.CallTool(l.t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: text.JSON(arguments)}})
	require.NoError(l.t, err)
	return got.Content
}

// core are the lines of the core section for a question, as a program with the
// file open sees it.
func (l *oneLife) core(x *Extension, question string) []string {
	l.t.Helper()
	s, err := x.Session(Scope{User: "ada", Session: "asking"})
	require.NoError(l.t, err)
	found, err := s.Preview(l.t.Context(), question)
	require.NoError(l.t, err)
	return coreIn(l.t, found.Block)
}

func coreIn(t *testing.T, prompt string) []string {
	t.Helper()
	fences, _, err := llmtest.Fences(prompt)
	require.NoError(t, err)
	if len(fences) == 0 {
		return nil
	}
	return fences[0].Core
}

func TestCoreSectionQuotesUser(t *testing.T) {
	l := newOneLife(t, Config{})
	require.Empty(t, l.core(l.x, "hi"))
	l.tells("march", "Good morning! I can't eat gluten. How is the weather?", "The user cannot eat gluten.")
	l.tells("march", "My sister Noor lives in Ghent with her dog Biscuit.", "The user's sister Noor lives in Ghent.")
	// A second claim on one sentence, and the same sentence once more.
	l.call(l.session("march"), "remember_fact", map[string]any{"content": "Noor has a dog called Biscuit."})
	l.tells("april", "my sister Noor  lives in Ghent with her dog Biscuit.", "Noor, the user's sister, lives in Ghent.")
	// The agent's own idea rests on no word of the user's.
	l.call(l.session("june"), "remember_fact", map[string]any{"content": "The user is fond of opera."})
	want := []string{"I can't eat gluten.", "my sister Noor lives in Ghent with her dog Biscuit."}
	for _, question := range []string{"hi", "thanks!", "Shall we order the pizza?", ""} {
		require.Equal(t, want, l.core(l.x, question), question)
	}
	p, err := l.x.Profile(t.Context(), Scope{User: "ada"})
	require.NoError(t, err)
	require.Len(t, p.Lines, 2)
	require.Equal(t, ProfileTold, p.Lines[0].Group)
	require.Len(t, p.Lines[1].Claims, 2)
	require.Len(t, p.Lines[1].Sources, 2)
	require.Equal(t, DefaultProfileTokens, p.Budget)
	require.Equal(t, p.Lines[0].Tokens+p.Lines[1].Tokens, p.Tokens)

	found, err := l.session("asking").Preview(t.Context(), "What can't I eat?")
	require.NoError(t, err)
	require.Len(t, found.Profile, 2)
	require.Positive(t, found.ProfileTokens)
	require.LessOrEqual(t, found.ProfileTokens, DefaultProfileTokens)
	require.Equal(t, text.Tokens(found.Block), found.Tokens)
	for _, item := range found.Items {
		require.NotEqual(t, "The user cannot eat gluten.", item.Memory.Content, "the core section says it")
	}
	nobody, err := l.x.Profile(t.Context(), Scope{User: "nobody"})
	require.NoError(t, err)
	require.Empty(t, nobody.Lines)
	_, err = l.x.Profile(t.Context(), Scope{})
	require.ErrorAs(t, err, new(*InvalidError))
}

func TestCoreSectionShowsChanges(t *testing.T) {
	l := newOneLife(t, Config{})
	home := l.tells("march", "I live in Bergen, near the harbour.", "The user lives in Bergen.")
	l.tells("march", "The dentist is tomorrow at nine.", "The user's dentist appointment is tomorrow at nine.")
	s := l.session("may")
	l.now.Set(time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC))
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.UserMessage(s.Scope(), "I've moved to Oslo.")))
	l.call(s, "correct_fact", map[string]any{"memory_id": home, "new_content": "The user moved to Oslo."})
	require.Equal(t, []string{
		"The dentist is tomorrow at nine.",
		"I've moved to Oslo. (before: I live in Bergen, near the harbour.)",
	}, l.core(l.x, "hi"))

	// The old message is marked wherever it is shown.
	const mark = "I live in Bergen, near the harbour. (no longer so since 2026-05-12: The user moved to Oslo.)"
	found, err := l.session("june").Preview(t.Context(), "Do I live in Bergen, near the harbour?")
	require.NoError(t, err)
	require.Contains(t, found.Block, mark)
	require.Contains(t, l.answer(l.session("june"), "search_memory", map[string]any{"query": "Bergen harbour"}), mark)
}

// The core section includes claims extracted from messages beside those saved on request, the
// oldest first.
func TestCoreSectionIncludesExtracted(t *testing.T) {
	l := &oneLife{t: t, path: filepath.Join(t.TempDir(), "memory.db"), now: clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), claims: true}
	l.x = l.open(Config{})
	l.tells("march", "I'm allergic to nuts.", "")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Equal(t, []string{"I'm allergic to nuts."}, l.core(l.x, "hi"))
	p, err := l.x.Profile(t.Context(), Scope{User: "ada"})
	require.NoError(t, err)
	require.Equal(t, ProfileSaid, p.Lines[0].Group)
	l.tells("march", "My sister Noor plays the cello.", "The user's sister Noor plays the cello.")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Equal(t, []string{"I'm allergic to nuts.", "My sister Noor plays the cello."}, l.core(l.x, "hi"))
	l.tells("march", "Forget that I'm allergic to nuts.", "")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Equal(t, []string{"My sister Noor plays the cello."}, l.core(l.x, "hi"))
	dual := l.open(Config{coreStoredOnly: true})
	l.tells("march", "I live in Bergen.", "")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Len(t, l.core(l.x, "hi"), 2)
	require.Len(t, l.core(dual, "hi"), 1)
}

// What the user says in free words about how to answer stands before the model whatever
// the question, beside facts that do not all fit.
func TestWishesInFreeWordsApplyToEveryAnswer(t *testing.T) {
	l := &oneLife{t: t, path: filepath.Join(t.TempDir(), "memory.db"), now: clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), claims: true}
	l.x = l.open(Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 120, OwnAffairsTokens: 120}})
	l.tells("march", "stop with the emojis pls, makes you look like my aunt", "")
	for i, said := range []string{"My sister Noor plays the cello in Ghent.", "I work at the harbour office in Bergen.", "My dentist is Dr. Solberg in the Strandgata.", "I drive a green Skoda estate.",
		"We have a dog called Pilchard, a whippet.", "My brother Karim bakes bread in Lyon.", "I'm allergic to hazelnuts and cashews.", "On Thursdays I coach the under-nines at the club."} {
		l.tells("march", said, fmt.Sprintf("Fact %d: %s", i, said))
	}
	l.tells("march", "Make the letter to Jo shorter, please.", "")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	for _, question := range []string{"How long do eggs boil?", "What does my sister play?"} {
		lines := l.core(l.x, question)
		require.Contains(t, lines, "stop with the emojis pls, makes you look like my aunt", question)
		require.Less(t, len(lines), 9, "not everything fits")
		require.NotContains(t, strings.Join(lines, "\n"), "letter to Jo", "it is about one letter")
	}
}

// A claim of the model's own that one of the user's replaces, from the same message,
// is neither an earlier statement nor an ended one. Where the message has no form, the
// core section keeps the sentence itself.
func TestRestatementIsNoChange(t *testing.T) {
	l := &oneLife{t: t, path: filepath.Join(t.TempDir(), "memory.db"), now: clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)), claims: true}
	l.x = l.open(Config{})
	for _, said := range [][2]string{
		{"not sure if I said, I play upright bass.", "The user plays upright bass in a quartet."},
		{"Rooibos for me, as every morning. Coffee gives me palpitations.", "The user drinks rooibos and never coffee."},
	} {
		l.tells("march", said[0], said[1])
		require.NoError(t, l.x.WaitIdle(t.Context()))
	}
	require.ElementsMatch(t, []string{"not sure if I said, I play upright bass.", "Rooibos for me, as every morning. Coffee gives me palpitations."}, l.core(l.x, "hi"))
	_, err := l.x.Consolidate(t.Context(), Scope{User: "ada"})
	require.NoError(t, err)
	l.now.Set(l.now.Now().AddDate(1, 0, 0))
	_, err = l.x.Consolidate(t.Context(), Scope{User: "ada"})
	require.NoError(t, err)
	require.Len(t, l.core(l.x, "hi"), 2, "the user's own words stay")
}

func TestCoreSectionStartsWithProtected(t *testing.T) {
	l := newOneLife(t, Config{})
	l.tells("march", "My favourite tea is Assam.", "The user's favourite tea is Assam.")
	nuts := l.tells("march", "I am allergic to nuts.", "The user is allergic to nuts.")
	require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, Scope{User: "ada"})
		if err != nil {
			return err
		}
		m, err := tx.Memory(ctx, userID, nuts)
		if err != nil {
			return err
		}
		return tx.Protect(ctx, m, memory.ByHost)
	}))
	require.Equal(t, []string{"I am allergic to nuts.", "My favourite tea is Assam."}, l.core(l.x, "hi"))
}

// Of more than fits, the question chooses; the order stays.
func TestQuestionSelectsCoreLines(t *testing.T) {
	l := newOneLife(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 100, OwnAffairsTokens: 100}})
	for i := range 30 {
		l.tells("march", fmt.Sprintf("My shelf number %d is painted in colour %d.", i, i), fmt.Sprintf("The user's shelf number %d is painted in colour %d.", i, i))
		if i == 15 {
			l.tells("march", "I can't eat gluten.", "The user cannot eat gluten.")
		}
	}
	p, err := l.x.Profile(t.Context(), Scope{User: "ada"})
	require.NoError(t, err)
	require.Len(t, p.Lines, 31)
	for question, want := range map[string]string{"What may I not eat?": "I can't eat gluten.", "shelf number 22?": "My shelf number 22 is painted in colour 22."} {
		core := l.core(l.x, question)
		require.Contains(t, core, want)
		require.Greater(t, len(core), 2)
		require.Less(t, len(core), 12)
		found, err := l.session("asking").Preview(t.Context(), question)
		require.NoError(t, err)
		require.LessOrEqual(t, found.ProfileTokens, 100)
		said := time.Time{}
		for _, line := range found.Profile {
			require.False(t, line.Said.Before(said))
			said = line.Said
		}
	}
	own := l.open(Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 100, OwnAffairsTokens: 350}})
	require.Greater(t, len(l.core(own, "What may I not eat?")), 12, "about the user there is more room")
	require.Less(t, len(l.core(own, "What does a shelf weigh?")), 12)
	off := l.open(Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}})
	require.Empty(t, l.core(off, "hi"))
	_, err = Open(t.Context(), l.path, &Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 10}})
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Config.CoreMemory.ProfileTokens", invalid.Field)
}

// With an embedder, the question also chooses by meaning.
func TestQuestionSelectsCoreLinesByMeaning(t *testing.T) {
	const bottles = "My cousin bottles limoncello."
	for _, e := range []EmbeddingConfig{{}, {Embedder: &vectortest.Topics{}, Model: "topics"}} { // knows that "cello" belongs to "music"
		l := newOneLife(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 90, OwnAffairsTokens: 90}, Embedding: e})
		l.tells("march", bottles, "The user's cousin bottles limoncello.")
		for i := range 30 {
			l.tells("march", fmt.Sprintf("My shelf number %d is painted in colour %d.", i, i), fmt.Sprintf("The user's shelf number %d is painted in colour %d.", i, i))
		}
		require.NoError(t, l.x.WaitIdle(t.Context()))
		core := l.core(l.x, "What do I bring to the musicale?")
		if e.Embedder == nil {
			require.NotContains(t, core, bottles)
		} else {
			require.Contains(t, core, bottles)
		}
	}
}

// What another program takes back is gone in the very next turn.
func TestRevokedLineIsGoneNextTurn(t *testing.T) {
	by := schema.Actor{Name: "host"}
	change := func(f func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error) func(l *oneLife, other *Extension, claim string) {
		return func(l *oneLife, other *Extension, claim string) {
			require.NoError(l.t, other.db.Write(l.t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, Scope{User: "ada"})
				if err != nil {
					return err
				}
				m, err := tx.Memory(ctx, userID, claim)
				if err != nil {
					return err
				}
				return f(ctx, tx, m)
			}))
		}
	}
	source := func(ctx context.Context, tx *schema.Tx, m *schema.Memory) *schema.Memory {
		var uid string
		require.NoError(t, tx.Row(ctx, "SELECT uid FROM memories WHERE id = (SELECT source_id FROM memory_sources WHERE memory_id = ?)", []any{m.ID}, &uid))
		src, err := tx.Memory(ctx, m.UserID, uid)
		require.NoError(t, err)
		return src
	}
	for name, takeBack := range map[string]func(l *oneLife, other *Extension, claim string){
		"retired": change(func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error { return tx.Retire(ctx, m, by) }),
		"quarantined": change(func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return tx.SetState(ctx, m, schema.StateQuarantined, by)
		}),
		"message quarantined": change(func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return tx.SetState(ctx, source(ctx, tx, m), schema.StateQuarantined, by)
		}),
		"message lowered": change(func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return tx.LowerTrust(ctx, m.UserID, source(ctx, tx, m).EventID, 2, by)
		}),
		"claim erased": func(l *oneLife, other *Extension, claim string) {
			_, err := other.Erase(l.t.Context(), Scope{User: "ada"}, Erasure{Memories: []string{claim}})
			require.NoError(l.t, err)
		},
		"session erased": func(l *oneLife, other *Extension, _ string) {
			_, err := other.Erase(l.t.Context(), Scope{User: "ada"}, Erasure{Sessions: []string{"march"}})
			require.NoError(l.t, err)
		},
		"user erased": func(l *oneLife, other *Extension, _ string) {
			_, err := other.Erase(l.t.Context(), Scope{User: "ada"}, Erasure{Everything: true})
			require.NoError(l.t, err)
		},
		"only marked": func(l *oneLife, other *Extension, claim string) { // an erasure that is under way
			require.NoError(l.t, other.db.Write(l.t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, Scope{User: "ada"})
				if err != nil {
					return err
				}
				m, err := tx.Memory(ctx, userID, claim)
				if err != nil {
					return err
				}
				_, err = tx.Exec(ctx, `INSERT INTO erasures (uid, user_id, everything, state, actor, asked_at, receipt) VALUES ('x', ?, 0, 'erasing', 'host', 1, '{}')`, userID)
				if err != nil {
					return err
				}
				_, err = tx.Exec(ctx, "INSERT INTO erasing (record, id, erasure_id) VALUES ('memories', ?, (SELECT max(id) FROM erasures))", m.ID)
				return err
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newOneLife(t, Config{})
			const nuts = "I am allergic to nuts."
			claim := l.tells("march", nuts, "The user is allergic to nuts.")
			other := l.open(Config{})
			require.Equal(t, []string{nuts}, l.core(l.x, "hi"))
			require.Equal(t, []string{nuts}, l.core(other, "hi"))
			takeBack(l, other, claim)
			require.Empty(t, l.core(l.x, "hi"))
			require.Empty(t, l.core(other, "hi"))
		})
	}
}

// A line is shown with its message around it where there is room, but not with a sentence of
// which the claim was replaced or taken back.
func TestLineIsShownWithoutWhatWasTakenBackBesideIt(t *testing.T) {
	const lives, trains = "I live in a loft in Perth.", "I am mad about trains."
	for name, change := range map[string]func(l *oneLife, uid string){
		"kept": func(*oneLife, string) {},
		"superseded": func(l *oneLife, uid string) {
			l.tells("april", "I've moved to Oslo.", "")
			l.call(l.session("april"), "correct_fact", map[string]any{"memory_id": uid, "new_content": "The user lives in Oslo."})
		},
		"retired": func(l *oneLife, uid string) { l.retire(uid) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newOneLife(t, Config{})
			uid := l.tells("march", lives+" "+trains, "The user lives in a loft in Perth.")
			l.call(l.session("march"), "remember_fact", map[string]any{"content": "The user is mad about trains."})
			const whole = lives + " " + trains
			require.Equal(t, []string{whole}, l.core(l.x, "Which trains shall I take?"))
			change(l, uid)
			if name == "kept" {
				require.Contains(t, l.core(l.x, "Which trains shall I take?"), whole)
			} else {
				require.Contains(t, l.core(l.x, "Which trains shall I take?"), trains)
			}
		})
	}
}

// What another program adds, and what comes back, is there in the next turn.
func TestCoreSectionSeesOtherProcess(t *testing.T) {
	l := newOneLife(t, Config{})
	other := l.open(Config{})
	require.Empty(t, l.core(other, "hi"))
	claim := l.tells("march", "I am allergic to nuts.", "The user is allergic to nuts.")
	want := []string{"I am allergic to nuts."}
	require.Equal(t, want, l.core(other, "hi"))
	set := func(state schema.State) {
		require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			userID, err := tx.UserID(ctx, Scope{User: "ada"})
			if err != nil {
				return err
			}
			m, err := tx.Memory(ctx, userID, claim)
			if err != nil {
				return err
			}
			return tx.SetState(ctx, m, state, memory.ByHost)
		}))
	}
	set(schema.StateQuarantined)
	require.Empty(t, l.core(other, "hi"))
	set(schema.StateDormant)
	require.Equal(t, want, l.core(other, "hi"), "where there is room")
	l.tells("march", "I play the cello.", "The user plays the cello.")
	require.Len(t, l.core(other, "hi"), 2)
}

// Standing in the core section is no access, and is on record once.
func TestCoreSectionIsRecordedOnce(t *testing.T) {
	l := newOneLife(t, Config{})
	claim := l.tells("march", "I am allergic to nuts.", "The user is allergic to nuts.")
	s := l.session("april")
	for range 3 {
		require.Contains(t, s.injected(t.Context(), "model", "hi", "hi"), "I am allergic to nuts.")
	}
	l.tells("march", "I play the cello.", "The user plays the cello.")
	require.Contains(t, s.injected(t.Context(), "model", "thanks", "thanks"), "cello")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	shown := bustest.Journal(t, l.x.bus, eventbus.TopicMemoryRecalled)
	require.Len(t, shown, 2, "once for each sentence that is new")
	for _, e := range shown {
		var r eventbus.Recalled
		require.NoError(t, e.Decode(&r))
		require.Empty(t, r.Items)
		require.Len(t, r.Core, 1)
	}
	require.NoError(t, l.x.db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
		userID, err := snap.UserID(ctx, Scope{User: "ada"})
		if err != nil {
			return err
		}
		var injections, accesses int64
		err = snap.Row(ctx, "SELECT (SELECT count(*) FROM injections WHERE session = 'april'), (SELECT sum(access_count) FROM memories)", nil, &injections, &accesses)
		require.EqualValues(t, 2, injections)
		require.Zero(t, accesses)
		m, err2 := snap.Memory(ctx, userID, claim)
		require.NoError(t, err2)
		require.True(t, m.LastAccessed.IsZero())
		return err
	}))
}

// A short id is of the conversation that it was shown in.
func TestShortIDsOfConversation(t *testing.T) {
	l := newOneLife(t, Config{})
	l.tells("march", "I am allergic to nuts.", "The user is allergic to nuts.")
	s := l.session("april")
	fences, _, err := llmtest.Fences(l.answer(s, "search_memory", map[string]any{"query": "nuts", "kind": "fact"}))
	require.NoError(t, err)
	id := fences[0].Records[0].ID
	for _, written := range []string{id, "[" + id + "]", `"` + id + `"`, "memory " + strings.ToUpper(id)} {
		require.Contains(t, l.answer(s, "confirm_fact", map[string]any{"memory_id": written}), "whether to protect", written)
	}
	require.Contains(t, l.answer(l.session("may"), "confirm_fact", map[string]any{"memory_id": id}), "no record was shown as "+id+" in this conversation")
	require.Contains(t, l.answer(s, "correct_fact", map[string]any{"memory_id": "m99", "new_content": "x y"}), "no record was shown as m99")
	uid, known := s.conversation().ids.UID(id)
	require.True(t, known)
	require.Contains(t, l.answer(l.session("may"), "confirm_fact", map[string]any{"memory_id": uid}), "protect", "a full id is known everywhere")
}

// The prompt holds nothing twice.
func TestPromptHasNoDuplicates(t *testing.T) {
	l := newOneLife(t, Config{Injection: InjectionConfig{MinRelevance: -1}})
	l.tells("march", "I am allergic to nuts.", "The user is allergic to nuts.")
	l.tells("march", "I am allergic to nuts. The kettle is broken, too, and it was the good one.", "")
	found, err := l.session("april").Preview(t.Context(), "Am I allergic to nuts?")
	require.NoError(t, err)
	var shown []string
	for _, item := range found.Items {
		shown = append(shown, item.Memory.Content)
	}
	require.Equal(t, []string{"I am allergic to nuts. The kettle is broken, too, and it was the good one."}, shown)
	again, err := l.session("april").find(t.Context(), "Am I allergic to nuts?", "Earlier:\n"+found.Block)
	require.NoError(t, err)
	require.Empty(t, again.Items, "the prompt holds it")
}

// After any changes of claims, a core section that was updated incrementally equals
// one that is rebuilt.
func TestCoreSectionFollowsChanges(t *testing.T) {
	racing.Alone(t)
	l := newOneLife(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 100_000}, NoBackground: true})
	turn, user := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		user++
		scope := Scope{User: fmt.Sprint("user", user), Session: "s"}
		var uids []string
		write := func(f func(ctx context.Context, tx *schema.Tx, userID int64) error) {
			require.NoError(r, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, scope)
				if err != nil {
					return err
				}
				return f(ctx, tx, userID)
			}))
		}
		one := func(label string) string { return rapid.SampledFrom(uids).Draw(r, label) }
		for range rapid.IntRange(1, 12).Draw(r, "changes") {
			turn++
			what := rapid.SampledFrom([]string{"tell", "tell", "tell", "correct", "source", "state", "said", "protect", "lower", "erase", "forget"}).Draw(r, "what")
			if len(uids) < 2 {
				what = "tell"
			}
			write(func(ctx context.Context, tx *schema.Tx, userID int64) error {
				tell := func() (*schema.Memory, *schema.Memory) {
					m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Role: "user", Content: fmt.Sprintf("Well. I own shelf %d. And kettle %d.", turn, turn), Origin: schema.OriginUser, Trust: 4}
					c := &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: fmt.Sprintf("The user owns shelf %d.", turn), Origin: schema.OriginUser, Trust: 4}
					require.NoError(r, tx.InsertMemories(ctx, schema.NewMemory{Memory: m}, schema.NewMemory{Memory: c}))
					require.NoError(r, tx.AddSource(ctx, c.ID, m.ID, fmt.Sprintf("I own shelf %d.", turn)))
					return m, c
				}
				if what == "tell" {
					_, c := tell()
					uids = append(uids, c.UID)
					return nil
				}
				c, err := tx.Memory(ctx, userID, one("claim"))
				if errors.Is(err, ErrNotFound) {
					return nil
				}
				require.NoError(r, err)
				var src *schema.Memory
				var uid string
				if tx.Row(ctx, "SELECT s.uid FROM memory_sources ms JOIN memories s ON s.id = ms.source_id WHERE ms.memory_id = ? LIMIT 1", []any{c.ID}, &uid) == nil {
					src, err = tx.Memory(ctx, userID, uid)
					if err != nil {
						return nil // it waits to be erased
					}
				}
				current := c.State == schema.StateActive || c.State == schema.StateDormant
				switch {
				case what == "correct" && current && !c.Protected:
					_, next := tell()
					uids = append(uids, next.UID)
					return tx.Supersede(ctx, c, next, memory.ByHost)
				case what == "source" && current:
					m, _ := tell()
					_, err := tx.Reinforce(ctx, c, m, "", 1, memory.ByHost)
					return err
				case what == "state" && current:
					return tx.SetState(ctx, c, rapid.SampledFrom([]schema.State{schema.StateActive, schema.StateDormant, schema.StateQuarantined}).Draw(r, "state"), memory.ByHost)
				case what == "said" && src != nil && src.State != schema.StateForgotten:
					return tx.SetState(ctx, src, rapid.SampledFrom([]schema.State{schema.StateActive, schema.StateQuarantined}).Draw(r, "state"), memory.ByHost)
				case what == "protect" && current:
					return tx.Protect(ctx, c, memory.ByHost)
				case what == "forget" && current && !c.Protected:
					return tx.Forget(ctx, c, tx.Now, memory.ByHost)
				}
				return nil
			})
			if what == "erase" {
				_, _ = erase.Run(t.Context(), l.x.db, scope, erase.Erasure{Memories: []string{one("erased")}}, memory.ByHost) // it may be gone
			}
			if rapid.Bool().Draw(r, "look") {
				_, err := l.x.Profile(t.Context(), scope)
				require.NoError(r, err)
			}
		}
		followed, err := l.x.Profile(t.Context(), scope)
		require.NoError(r, err)
		l.x.own.Forget()
		anew, err := l.x.Profile(t.Context(), scope)
		require.NoError(r, err)
		require.Equal(r, anew, followed)
	})
}

// What replaces a statement about a project is about that project too, whoever corrects it.
func TestCorrectionsKeepTheProject(t *testing.T) {
	ada := Scope{User: "ada", Session: "s"}
	for who, correct := range map[string]func(t *testing.T, l *oneLife, id string){
		"the user": func(t *testing.T, l *oneLife, id string) {
			_, err := l.x.Correct(t.Context(), ada, id, "we use two spaces")
			require.NoError(t, err)
		},
		"an agent, approved": func(t *testing.T, l *oneLife, id string) {
			l.call(l.session("s"), "correct_fact", map[string]any{"memory_id": id, "new_content": "we use two spaces"})
			waiting, err := l.x.Proposals(t.Context(), ada)
			require.NoError(t, err)
			require.NoError(t, l.x.Approve(t.Context(), ada, waiting[0].ID))
		},
	} {
		t.Run(who, func(t *testing.T) {
			l := newOneLife(t, Config{})
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "we use tabs here", eventbus.Attribute(schema.AttrProject, "alpha"))))
			l.call(l.session("s"), "remember_fact", map[string]any{"content": "we use tabs here"})
			p, err := l.x.Profile(t.Context(), ada)
			require.NoError(t, err)
			require.Len(t, p.Lines, 1)
			require.Equal(t, "alpha", p.Lines[0].Project)
			correct(t, l, p.Lines[0].Claims[0])
			p, err = l.x.Profile(t.Context(), ada)
			require.NoError(t, err)
			require.Len(t, p.Lines, 1)
			require.Equal(t, "we use two spaces", p.Lines[0].Text)
			require.Equal(t, "alpha", p.Lines[0].Project)
		})
	}
}

// What a model proposed and the host approved is not shown as the user's own words, and no
// message is named as its source.
func TestApprovedTextIsNotInTheUsersWords(t *testing.T) {
	l := newOneLife(t, Config{})
	ada := Scope{User: "ada"}
	l.tells("march", "I can't eat gluten.", "The user cannot eat gluten.")
	home := l.tells("march", "I live in Bergen.", "The user lives in Bergen.")
	require.Contains(t, l.answer(l.session("may"), "correct_fact", map[string]any{"memory_id": home, "new_content": "The user resides in Paris."}), "waits for approval")
	waiting, err := l.x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.NoError(t, l.x.Approve(t.Context(), ada, waiting[0].ID))
	stated, err := l.x.Remember(t.Context(), ada, "I like green tea")
	require.NoError(t, err)

	group := func(text string) (ProfileGroup, string) {
		p, err := l.x.Profile(t.Context(), ada)
		require.NoError(t, err)
		for _, line := range p.Lines {
			if line.Text == text {
				require.NotNil(t, line.Sources)
				require.Empty(t, line.Sources)
				return line.Group, line.Claims[0]
			}
		}
		t.Fatalf("no line says %q", text)
		return "", ""
	}
	of, claim := group("I like green tea")
	require.Equal(t, ProfileTold, of)
	require.Equal(t, stated.Memory.UID, claim)
	of, claim = group("The user resides in Paris.")
	require.Equal(t, ProfileApproved, of)
	section := func() string {
		found, err := l.session("asking").Preview(t.Context(), "hi")
		require.NoError(t, err)
		return found.Block
	}
	const approved = "- Mon Mar 2: I can't eat gluten.\n- Mon Mar 2: I like green tea\nApproved as true, in an assistant's words:\n2026:\n- Mon Mar 2: The user resides in Paris."
	require.Contains(t, section(), approved)
	require.NoError(t, l.x.Protect(t.Context(), ada, claim))
	of, _ = group("The user resides in Paris.")
	require.Equal(t, ProfileApproved, of, "to be kept, and still not in the user's words")
	require.Contains(t, section(), approved)

	require.NoError(t, l.x.Unprotect(t.Context(), ada, claim))
	_, err = l.x.Correct(t.Context(), ada, claim, "I live in Rome")
	require.NoError(t, err)
	of, _ = group("I live in Rome")
	require.Equal(t, ProfileTold, of)
}
