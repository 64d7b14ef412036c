package extension

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Faded claims are injected, marked as such, if there is room after the active ones.
// Messages that a cap made dormant are not.
func TestDormantClaimsFillLimit(t *testing.T) {
	s := previewed(t, Config{Injection: InjectionConfig{Limit: 5}, CoreMemory: CoreMemoryConfig{ProfileTokens: -1}})
	w := &world{t: t, x: s.ext, scope: s.scope}
	w.fact("Zelda keeps her ferret in the greenhouse", 0.9)
	ferret := w.facts[0]
	const question = "Where does Zelda keep her ferret?"
	sleep := func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		return tx.SetState(ctx, m, schema.StateDormant, schema.Actor{Name: "night"})
	}
	block := func() string {
		found, err := s.Preview(t.Context(), question)
		require.NoError(t, err)
		require.LessOrEqual(t, len(found.Items), s.ext.cfg.Injection.Limit)
		return found.Block
	}
	require.NotContains(t, block(), "(faded)")
	w.change(ferret, sleep)
	require.Contains(t, block(), "fact (faded): Zelda keeps her ferret in the greenhouse")

	for _, said := range []string{
		"Zelda keeps her ferret warm.", "Zelda keeps her ferret clean.", "Zelda keeps a ferret and a stoat.",
		"Her ferret is called Zelda too, Zelda keeps saying.", "Zelda keeps her ferret indoors.",
	} {
		w.say(said, "may", said)
	}
	require.NotContains(t, block(), "greenhouse", "all places are taken")

	found, err := s.Preview(t.Context(), question)
	require.NoError(t, err)
	for _, item := range found.Items {
		w.change(item.Memory.UID, sleep)
	}
	require.Contains(t, block(), "greenhouse")
	require.NotContains(t, block(), "indoors", "messages do not fade; what a cap put away stays away")
}
