package consolidate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

func TestQuoteOfInjectedMemoryIsIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		told, said, quote, claim string
		echoes                   int
		after                    int // days after which the message follows what was shown; 0: one
	}{
		"the same week":   {"I might sell the blue bicycle.", "I might sell the blue bicycle.", "I might sell the blue bicycle.", "The user might sell the blue bicycle.", 1, 6},
		"long after":      {"I might sell the blue bicycle.", "I might sell the blue bicycle.", "I might sell the blue bicycle.", "The user might sell the blue bicycle.", 0, 30},
		"longer":          {"I might sell the blue bicycle.", "You said: I might sell the blue bicycle. Hm, well.", "You said: I might sell the blue bicycle. Hm", "The user might sell the blue bicycle.", 1, 0},
		"unseen":          {"I might sell the blue bicycle.", "So I might sell the blue bicycle.", "So I mi\u200bght sell the blue bicycle.", "The user might sell the blue bicycle.", 1, 0},
		"without spaces":  {"我家的狗叫小白。", "你说我家的狗叫小白吗", "你说我家的狗叫小白吗", "用户家的狗叫小白。", 1, 0},
		"corrected":       {"My dog is called Biscuit.", "No, my dog is called Crumble now.", "my dog is called Crumble now", "The user's dog is called Crumble.", 0, 0},
		"denied":          {"I might sell the blue bicycle.", "I said that I might sell the blue bicycle, but I will not.", "I might sell the blue bicycle, but I will not", "The user will not sell the blue bicycle.", 0, 0},
		"corrected in 中文": {"我家的狗叫小白。", "我家的狗叫小黑。", "我家的狗叫小黑", "用户家的狗叫小黑。", 0, 0},
		"more than that":  {"I might sell the blue bicycle.", "I might sell the blue bicycle to Rosa on Sunday.", "I might sell the blue bicycle to Rosa on Sunday.", "The user might sell the blue bicycle to Rosa on Sunday.", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			old := said(t, db, "a", "", c.told, start)
			s := llmtest.New(t)
			s.On(llmtest.Any, facts()).Times(1)
			s.On(llmtest.Any, facts(claimed(c.claim, []string{"m1"}, c.quote)))
			r := runner(t, db, stages(consolidate.Extract{}), withModel(t, s))
			_, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				seq, err := tx.Insert(ctx, `INSERT INTO events (user_id, topic, origin, trust, payload, occurred_at, recorded_at) VALUES (?, 'x', 'unknown', 0, '{}', 0, 0)`, old.UserID)
				if err != nil {
					return err
				}
				_, err = tx.Exec(ctx, `INSERT INTO injections (user_id, event_seq, session, channel, items, shown_at) VALUES (?, ?, 'b', 'model', ?, ?)`,
					old.UserID, seq, fmt.Sprintf(`[{"uid":%q,"rank":1,"score":1}]`, old.UID), schema.At(start.AddDate(0, 0, 1)))
				return err
			}))
			said(t, db, "b", "", c.said, start.AddDate(0, 0, 1+max(1, c.after)))
			report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, c.echoes, report.Stages[0].Counts["echoes"])
			require.Len(t, derivedOf(t, db), 1-c.echoes)
		})
	}
}

func TestQuoteIsCleaned(t *testing.T) {
	db, _ := aged(t)
	said(t, db, "a", "", "My dog Biscuit hates the vet.", start)
	s := llmtest.New(t)
	s.On(llmtest.Any, facts(claimed("The user's dog Biscuit hates the vet.", []string{"m1"}, " My dog \u202eBis\u200bcuit\u0007 hates\U000E0041 the vet.")))
	r := runner(t, db, stages(consolidate.Extract{}), withModel(t, s))
	_, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Len(t, derivedOf(t, db), 1)
	var quote string
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT quote FROM memory_sources", nil, &quote)
	}))
	require.Equal(t, "My dog Biscuit hates the vet.", quote)
}
