package extension

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/schema"
)

// What was taken back is not shown with a neighbour in the very next turn, whatever separates
// the sentences and however many a claim rests on, in any process.
func TestTakenBackSentencesAreNotShownWithTheirNeighbours(t *testing.T) {
	for name, c := range map[string]struct{ message, withdrawn, kept, asks, gone, stays string }{
		"two lines": {
			"I live in a loft in Perth\nThe skylight of it leaks\nI am mad about trains.", "The user lives in a loft in Perth of which the skylight leaks.",
			"The user is mad about trains.", "Which trains shall I take?", "skylight", "I am mad about trains.",
		},
		"Chinese": {
			"我住在珀斯的阁楼里。阁楼的天窗漏水。我特别喜欢坐火车旅行。", "用户住在珀斯的阁楼里，天窗漏水。", "用户特别喜欢坐火车旅行。", "坐火车旅行去哪里好？", "天窗", "火车旅行",
		},
		"cut": {
			"The loft in Perth where I live is on the fifth floor of a block of flats that was built in the nineteen sixties by a cousin of my wife. Its skylight leaks. " +
				"I am mad about trains, ever since my uncle took me to see a steam engine at the age of four and let me blow the whistle of it, twice.",
			"The user's loft in Perth is on the fifth floor and its skylight leaks.", "The user is mad about trains.", "Which trains shall I take?", "skylight", "I am mad about trains",
		},
		"between": {
			"Sol, grad student, is my part-timer. I was fired for theft. Sol uses they/them, esp in writing.", "The user was fired for theft.",
			"Sol (grad student, the user's part-timer) uses they/them, especially in writing.", "Introduce Sol.", "theft", "Sol",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newOneLife(t, Config{})
			uid := l.tells("march", c.message, c.withdrawn)
			l.call(l.session("march"), "remember_fact", map[string]any{"content": c.kept})
			other := l.open(Config{})
			for _, x := range []*Extension{l.x, other} {
				require.Contains(t, strings.Join(l.core(x, c.asks), "\n"), c.gone)
			}
			l.retire(uid)
			for _, x := range []*Extension{l.x, other} {
				shown := strings.Join(l.core(x, c.asks), "\n")
				require.NotContains(t, shown, c.gone)
				require.Contains(t, shown, c.stays)
			}
		})
	}
}

// A claim that was merged into another one is taken back with that.
func TestMergedClaimIsTakenBackWithItsSuccessor(t *testing.T) {
	l := newOneLife(t, Config{})
	merged := l.tells("march", "I live in a loft in Perth. I am mad about trains.", "The user lives in a loft in Perth.")
	l.call(l.session("march"), "remember_fact", map[string]any{"content": "The user is mad about trains."})
	holds := l.tells("april", "I sleep under the roof of a block in Perth.", "The user sleeps under the roof of a block in Perth.")
	require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, Scope{User: "ada"})
		require.NoError(t, err)
		old, err := tx.Memory(ctx, userID, merged)
		require.NoError(t, err)
		by, err := tx.Memory(ctx, userID, holds)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, "UPDATE memories SET predicate = 'lives_in', object = 'Perth' WHERE id IN (?, ?)", old.ID, by.ID)
		require.NoError(t, err)
		return tx.Supersede(ctx, old, by, memory.ByHost)
	}))
	const asks = "Which trains shall I take?"
	require.Contains(t, l.core(l.x, asks), "I live in a loft in Perth. I am mad about trains.")
	l.retire(holds)
	require.Equal(t, []string{"I am mad about trains."}, l.core(l.x, asks), "and not what it replaced")
}

// retire soft-deletes a claim.
func (l *oneLife) retire(uid string) {
	l.t.Helper()
	require.NoError(l.t, l.x.db.Write(l.t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, Scope{User: "ada"})
		if err != nil {
			return err
		}
		m, err := tx.Memory(ctx, userID, uid)
		if err != nil {
			return err
		}
		return tx.Retire(ctx, m, memory.ByHost)
	}))
}

// What was taken back of a long message is looked for once, not for each claim of it.
func TestLongMessageOfWhichMuchIsTakenBack(t *testing.T) {
	racing.Alone(t)
	const kept, withdrawn = 150, 150
	l := newOneLife(t, Config{NoBackground: true})
	ada := Scope{User: "ada", Session: "s"}
	var said strings.Builder
	for i := range kept + withdrawn {
		fmt.Fprintf(&said, "My shelf number %d is painted in a colour that I like a lot, really %[1]d.\n", i)
	}
	require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, ada)
		require.NoError(t, err)
		m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Role: "user", Content: said.String(), Origin: schema.OriginUser, Trust: 4}
		require.NoError(t, tx.InsertMemory(ctx, m, nil))
		for i := range kept + withdrawn {
			c := &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: fmt.Sprintf("The user's shelf number %d is painted in a colour.", i), Origin: schema.OriginUser, Trust: 4}
			require.NoError(t, tx.InsertMemory(ctx, c, nil))
			require.NoError(t, tx.AddSource(ctx, c.ID, m.ID, ""))
			if i >= kept {
				require.NoError(t, tx.Retire(ctx, c, memory.ByHost))
			}
		}
		return nil
	}))
	start := time.Now()
	require.NotEmpty(t, l.core(l.x, "What colour is my shelf number 7?"))
	require.Less(t, time.Since(start), 10*time.Second)
}
