package appraise

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Computed from importance = .25·novelty + .30·arousal + .25·reward + .20·attention.
func TestTheFourChannels(t *testing.T) {
	say := func(text string) *schema.Memory { return &schema.Memory{Content: text} }
	near := func(similarity, utility float64) Near {
		return Near{&schema.Memory{Utility: utility}, similarity}
	}
	for name, c := range map[string]struct {
		a    Appraisal
		want Channels
	}{
		"the first":       {Appraisal{Memory: say("The tram stops here.")}, Channels{1, 0, 0.5, 0, 1}},
		"known":           {Appraisal{Memory: say("The tram stops here."), Near: []Near{near(0.9, 0.8), near(0.5, 0.4), near(0.4, 0)}}, Channels{0.1, 0, 0.6, 0, 1}},
		"unlike":          {Appraisal{Memory: say("The tram stops here."), Near: []Near{near(0.49, 0)}}, Channels{0.51, 0, 0.5, 0, 1}},
		"urgent":          {Appraisal{Memory: say("Urgent: the deadline!")}, Channels{1, 0.75, 0.5, 0, 1}},
		"of the talk":     {Appraisal{Memory: say("tram"), Session: []schema.Memory{{Content: "tram"}}}, Channels{1, 0, 0.5, 1, 1}},
		"a correction":    {Appraisal{Memory: say("Actually the tram was late")}, Channels{1, 0, 0.5, 0, 1.3}},
		"one in Turkish":  {Appraisal{Memory: say("Aslında tramvay geç kaldı")}, Channels{1, 0, 0.5, 0, 1.3}},
		"nothing at all":  {Appraisal{Memory: say("")}, Channels{1, 0, 0.5, 0, 1}},
		"the same as one": {Appraisal{Memory: say("tram"), Near: []Near{near(1, 1)}}, Channels{0, 0, 1, 0, 1}},
	} {
		got := ChannelsOf(c.a)
		for i, pair := range [][2]float64{
			{c.want.Novelty, got.Novelty}, {c.want.Arousal, got.Arousal}, {c.want.Reward, got.Reward}, {c.want.Attention, got.Attention}, {c.want.Boost, got.Boost},
		} {
			require.InDelta(t, pair[0], pair[1], 1e-12, "%s, channel %d", name, i)
		}
		w := c.want
		require.InDelta(t, min(1, w.Boost*(0.25*w.Novelty+0.30*w.Arousal+0.25*w.Reward+0.20*w.Attention)), Cognitive(c.a), 1e-12, name)
	}
	require.InDelta(t, 1, Channels{1, 1, 1, 1, 1.3}.Importance(), 0)
}

func TestLevels(t *testing.T) {
	for importance, want := range map[float64]string{1: "critical", 0.8: "critical", 0.79: "high", 0.6: "high", 0.59: "normal", 0.4: "normal", 0.39: "low", 0: "low"} {
		require.Equal(t, want, LevelOf(importance))
	}
}

func TestAppraisalUsesEarlierMessages(t *testing.T) {
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{Now: func() time.Time { return noon }})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ada := schema.Scope{User: "ada"}
	store := func(scope schema.Scope, session, text string, minutes int) *schema.Memory {
		m := &schema.Memory{
			Kind: schema.KindEpisode, Role: "user", Content: text, EventTime: schema.At(noon.Add(time.Duration(minutes) * time.Minute)),
			Confidence: 1, Utility: 0.5, Origin: schema.OriginUser, Trust: schema.MaxTrust,
		}
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
			if m.UserID, err = tx.UserID(ctx, scope); err != nil {
				return err
			}
			if m.SessionID, err = tx.SessionID(ctx, m.UserID, session); err != nil {
				return err
			}
			return tx.InsertMemory(ctx, m, schema.PrepareChunks(text, ""))
		}))
		return m
	}
	store(ada, "a", "The blue tram stops at the harbour", 0)
	store(schema.Scope{User: "rival"}, "a", "The blue tram stops at the old harbour", 1)
	again := store(ada, "a", "The blue tram stops at the harbour", 2)
	store(ada, "a", "The blue tram stops at the harbour, as was said", 3)
	s := recall.New(db, recall.Options{})
	defer s.Close()
	p := &Appraiser{DB: db, Searcher: s, Func: Cognitive}
	a, err := p.Look(t.Context(), ada, again)
	require.NoError(t, err)
	require.Len(t, a.Near, 1, "neither another user's nor a later one")
	require.InDelta(t, 1, a.Near[0].Similarity, 1e-12)
	require.Len(t, a.Session, 1)
	importance, labels, err := p.Rate(t.Context(), ada, again)
	require.NoError(t, err)
	require.InDelta(t, 0.25*0.5+0.20, importance, 1e-12, "nothing new, calm, of no known use, what the talk is about")
	require.Equal(t, map[string]string{
		schema.AttrTagged: "2026-03-01T16:02:00Z", schema.AttrChannels: "novelty 0.00, arousal 0.00, reward 0.50, attention 1.00: low",
	}, labels)

	loud := store(ada, "b", "URGENT: ERROR!!! I am so worried!", 4)
	_, labels, err = p.Rate(t.Context(), ada, loud)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		schema.AttrValence: "-1", schema.AttrArousal: "1", schema.AttrEmotion: "fear", schema.AttrChannels: "novelty 1.00, arousal 1.00, reward 0.50, attention 0.00: high",
	}, labels)
	require.Equal(t, "novelty 0.00, arousal 0.00, reward 0.00, attention 0.00, times 1.3: low", Channels{Boost: 1.3}.String())
}
