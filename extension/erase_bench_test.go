package extension_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// BenchmarkErase erases a conversation of 1,000 messages, each of which names
// somebody, out of a memory that holds as many more.
func BenchmarkErase(b *testing.B) {
	const messages = 1000
	for b.Loop() {
		b.StopTimer()
		x, err := extension.Open(b.Context(), b.TempDir()+"/memory.db", &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
		require.NoError(b, err)
		for _, session := range []string{"goes", "stays"} {
			scope := extension.Scope{User: "ada", Session: session}
			events := make([]eventbus.Event, messages)
			for i := range events {
				events[i] = eventbus.UserMessage(scope, fmt.Sprintf("On day %d Marta%d Velde%d of %s brought %d lamps to the harbour", i, i, i, session, i))
			}
			for chunk := range 10 {
				require.NoError(b, x.Bus().Publish(b.Context(), events[chunk*messages/10:(chunk+1)*messages/10]...))
			}
		}
		require.NoError(b, x.WaitIdle(b.Context()))
		b.StartTimer()
		receipt, err := x.Erase(b.Context(), extension.Scope{User: "ada"}, extension.Erasure{Sessions: []string{"goes"}})
		b.StopTimer()
		require.NoError(b, err)
		require.EqualValues(b, messages, receipt.Erased["memories"])
		require.NoError(b, x.Close(context.Background()))
		b.StartTimer()
	}
}
