package tools

import "context"

func memoryStats() *Tool {
	return &Tool{
		name: "memory_stats",
		description: "Tells how much is remembered, when it was consolidated, and what is failing. " +
			"Use it when asked about the memory itself. Do not use it to find content.",
		run: func(ctx context.Context, d *Deps, _ *arguments) (string, error) {
			if d.Stats == nil {
				return "memory_stats is not available in this host.", nil
			}
			return d.Stats(ctx)
		},
	}
}
