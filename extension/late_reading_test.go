package extension

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// newHeldDiary is a diary whose messages are read only by read.
func newHeldDiary(t *testing.T) *diary {
	t.Helper()
	return newDiary(t, func(cfg *Config) { cfg.NoBackground = true })
}

// read draws the claims of the message with a text, as the background does.
func (l *diary) read(text string) {
	l.t.Helper()
	all, err := l.x.Timeline(l.t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}})
	require.NoError(l.t, err)
	for _, m := range all {
		if m.Content == text {
			_, err := l.x.reader.Read(l.t.Context(), dora, &m)
			require.NoError(l.t, err)
			return
		}
	}
	l.t.Fatalf("no message %q", text)
}

// told is a fact, saved by a tool before the message that states it is read.
func (l *diary) told(sentence, content string) Record {
	l.t.Helper()
	l.publish(sentence)
	l.tool("remember_fact", map[string]any{"content": content})
	claims := l.claimed()
	require.Len(l.t, claims, 1)
	return claims[0]
}

// The ways in which something newer than an unread message comes: each publishes the
// message, then states the newer after pass.
var newer = map[string]func(l *diary, c *change, pass func()){
	"remembered": func(l *diary, c *change, pass func()) {
		l.publish(c.sentences[0])
		pass()
		_, err := l.x.Remember(l.t.Context(), dora, c.contents[1])
		require.NoError(l.t, err)
	},
	"corrected": func(l *diary, c *change, pass func()) {
		fact := l.told(c.sentences[0], c.contents[0])
		pass()
		_, err := l.x.Correct(l.t.Context(), dora, fact.UID, c.contents[1])
		require.NoError(l.t, err)
	},
	"approved": func(l *diary, c *change, pass func()) {
		fact := l.told(c.sentences[0], c.contents[0])
		pass()
		l.tool("correct_fact", map[string]any{"memory_id": fact.UID, "new_content": c.contents[1]})
		proposals, err := l.x.Proposals(l.t.Context(), dora)
		require.NoError(l.t, err)
		require.Len(l.t, proposals, 1)
		require.NoError(l.t, l.x.Approve(l.t.Context(), dora, proposals[0].ID))
	},
	"said": func(l *diary, c *change, pass func()) {
		l.publish(c.sentences[0])
		pass()
		l.publish(c.sentences[1])
		l.read(c.sentences[1])
	},
	"remember_fact": func(l *diary, c *change, pass func()) {
		l.publish(c.sentences[0])
		pass()
		l.told(c.sentences[1], c.contents[1])
	},
	"correct_fact": func(l *diary, c *change, pass func()) {
		fact := l.told(c.sentences[0], c.contents[0])
		pass()
		l.publish(c.sentences[1])
		l.tool("correct_fact", map[string]any{"memory_id": fact.UID, "new_content": c.contents[1]})
	},
	"extracted": func(l *diary, c *change, pass func()) {
		l.publish(c.sentences[0])
		pass()
		ways["extracted"](l, c, 1)
	},
}

// The ways in which the unread message is read at last.
var readLate = map[string]func(l *diary, c *change){
	"read":          func(l *diary, c *change) { l.read(c.sentences[0]) },
	"remember_fact": func(l *diary, c *change) { l.tool("remember_fact", map[string]any{"content": c.contents[0]}) },
	"extracted":     func(l *diary, c *change) { l.extract(c, 0) },
}

// A message may be read after something newer was stored. What it says then is history.
func TestMessageReadLateIsPast(t *testing.T) {
	for way, state := range newer {
		for late, read := range readLate {
			for _, c := range changing {
				for _, pause := range []time.Duration{24 * time.Hour, 0} {
					t.Run(fmt.Sprintf("%s, %s %s later, %s", c.name, way, pause, late), func(t *testing.T) {
						l := newHeldDiary(t)
						state(l, &c, func() { l.now.Add(pause) })
						before := l.claimed()
						require.Len(t, before, 1)
						read(l, &c)
						require.Equal(t, texts(before), texts(l.claimed()))
						require.Contains(t, before[0].Content, c.objects[1])
					})
				}
			}
		}
	}
}

func TestApprovedCorrectionWheneverItsMessageIsRead(t *testing.T) {
	c := &changing[0]
	for at := range 4 {
		t.Run(fmt.Sprintf("after step %d", at), func(t *testing.T) {
			l := newHeldDiary(t)
			done := 0
			step := func() {
				if done == at {
					l.read(c.sentences[0])
				}
				l.now.Add(time.Minute)
				done++
			}
			l.publish(c.sentences[0])
			step()
			l.tool("remember_fact", map[string]any{"content": c.contents[0]})
			step()
			l.tool("correct_fact", map[string]any{"memory_id": l.claimed()[0].UID, "new_content": c.contents[1]})
			step()
			require.Equal(t, []string{c.contents[0]}, texts(l.claimed()))
			proposals, err := l.x.Proposals(t.Context(), dora)
			require.NoError(t, err)
			require.Len(t, proposals, 1)
			require.NoError(t, l.x.Approve(t.Context(), dora, proposals[0].ID))
			step()
			require.Equal(t, []string{c.contents[1]}, texts(l.claimed()))
		})
	}
}

// No pattern compares these: the message has been read before, by a tool.
func TestMessageOfReplacedFactReadLate(t *testing.T) {
	for _, c := range []change{
		{sentences: [2]string{"I live in Ghent."}, contents: [2]string{"Dora lives in Ghent.", "Dora gave up her flat and sleeps on trains."}},
		{sentences: [2]string{"Lately the stairs make my knee swell."}, contents: [2]string{"The stairs make Dora's knee swell.", "It is Noor who has trouble with stairs."}},
	} {
		for late, read := range readLate {
			t.Run(fmt.Sprintf("%s %s", c.sentences[0], late), func(t *testing.T) {
				l := newHeldDiary(t)
				fact := l.told(c.sentences[0], c.contents[0])
				_, err := l.x.Correct(t.Context(), dora, fact.UID, c.contents[1])
				require.NoError(t, err)
				read(l, &c)
				require.Equal(t, []string{c.contents[1]}, texts(l.claimed()))
			})
		}
	}
}

func TestModelLearnsThatAFactWasReplaced(t *testing.T) {
	l := newHeldDiary(t)
	fact := l.told("I live in Ghent.", "Dora lives in Ghent.")
	_, err := l.x.Correct(t.Context(), dora, fact.UID, "Dora lives in Oslo.")
	require.NoError(t, err)
	require.Contains(t, l.tool("remember_fact", map[string]any{"content": "Dora lives in Ghent."}), "has been replaced since; nothing was saved")
}

// What an import says of the same fact, and of its end, is trusted less.
func TestUntrustedSuccessorEndsNothingOfTheUser(t *testing.T) {
	l := newHeldDiary(t)
	l.publish("I live in Ghent.")
	l.now.Add(time.Hour)
	require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, dora)
		if err != nil {
			return err
		}
		var imported []*schema.Memory
		for _, town := range []string{"Ghent", "Oslo"} {
			m := &schema.Memory{
				UserID: userID, Kind: KindFact, Content: "I live in " + town + ".", Subject: "the user", Predicate: "lives_in", Object: town,
				Confidence: 0.9, DecayRate: schema.DefaultDecayRate, Origin: schema.OriginImport, Trust: schema.OriginImport.Ceiling(),
			}
			if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, "")); err != nil {
				return err
			}
			imported = append(imported, m)
		}
		return tx.Supersede(ctx, imported[0], imported[1], memory.ByHost)
	}))
	l.read("I live in Ghent.")
	require.ElementsMatch(t, []string{"I live in Ghent.", "I live in Oslo."}, texts(l.claimed()))
}

func TestReplacedFactHoldsAgainWhenSaidLater(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	l.says("I've moved to Oslo.")
	l.says("I live in Ghent.")
	require.Equal(t, []string{"I live in Ghent."}, texts(l.claimed()))
	_, err := l.x.Remember(t.Context(), dora, "Dora lives in Oslo.")
	require.NoError(t, err)
	_, err = l.x.Remember(t.Context(), dora, "I live in Ghent.")
	require.NoError(t, err)
	require.Equal(t, []string{"I live in Ghent."}, texts(l.claimed()), "a person says it now")
}

// A correction ends the fact that it names, whatever the times of their messages.
func TestCorrectionHoldsWhateverTheTimes(t *testing.T) {
	t.Run("of a message that claims to be of tomorrow", func(t *testing.T) {
		l := newDiary(t)
		l.publish("I live in Ghent.")
		l.publish("I live in Ghent.", eventbus.At(l.now.Now().AddDate(0, 0, 1)))
		_, err := l.x.Correct(t.Context(), dora, l.claimed()[0].UID, "Dora lives in Oslo.")
		require.NoError(t, err)
		require.Equal(t, []string{"Dora lives in Oslo."}, texts(l.claimed()))
	})
	t.Run("back, at the time of all", func(t *testing.T) {
		l := newHeldDiary(t)
		fact := l.told("I live in Ghent.", "Dora lives in Ghent.")
		corrected, err := l.x.Correct(t.Context(), dora, fact.UID, "Dora lives in Oslo.")
		require.NoError(t, err)
		l.tool("correct_fact", map[string]any{"memory_id": corrected.Memory.UID, "new_content": "Dora lives in Ghent."})
		require.Equal(t, []string{"Dora lives in Ghent."}, texts(l.claimed()))
	})
}

func texts(memories []Record) (texts []string) {
	for _, m := range memories {
		texts = append(texts, m.Content)
	}
	return texts
}
