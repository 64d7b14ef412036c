package tools

import "context"

func memoryStats() *Tool {
	return &Tool{
		name: "memory_stats",
		description: "Tells how much is remembered about this user, when it was last consolidated, and whether anything behind the memory is failing. " +
			"Use it when the user asks about the memory itself. Do not use it to look for content: it returns counts and health, no memories.",
		run: func(ctx context.Context, d *Deps, _ arguments) (string, error) {
			if d.Stats == nil {
				return "memory_stats is not available in this host.", nil
			}
			return d.Stats(ctx)
		},
	}
}
