package tools

import "context"

func memoryConsolidate() *Tool {
	return &Tool{
		name:   "memory_consolidate",
		writes: true,
		description: "Runs the nightly work on the memory now: what was said becomes facts, contradictions are settled, what faded is put away. " +
			"Use it only when the user asks for it, and at most once a conversation: it can take a minute and cost model calls, and it happens by itself every night. " +
			"Never use it before answering a question. Returns a report of what changed.",
		run: func(ctx context.Context, d *Deps, _ arguments) (string, error) {
			if d.Consolidate == nil {
				return "memory_consolidate is not available in this host. Nothing was changed.", nil
			}
			return d.Consolidate(ctx)
		},
	}
}
