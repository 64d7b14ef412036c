package tools

import "context"

func memoryConsolidate() *Tool {
	return &Tool{
		name:   "memory_consolidate",
		writes: true,
		description: "Runs the nightly work now: draws facts, settles contradictions, puts away what faded. " +
			"Use it only when the user asks, at most once a conversation: it is slow, costs model calls, and runs every night anyway. " +
			"Never use it before answering.",
		run: func(ctx context.Context, d *Deps, _ *arguments) (string, error) {
			if d.Consolidate == nil {
				return "memory_consolidate is not available in this host. Nothing was changed.", nil
			}
			return d.Consolidate(ctx)
		},
	}
}
