package tools

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

func TestProceduresFor(t *testing.T) {
	const router, said, printer, linter = "To restart the router: first unplug it, then wait", "To restart the router: first unplug it, then wait.",
		"To fix the printer: open the tray, then restart it", "Before deploying, always run the linter"
	for task, want := range map[string][]string{
		"restart the router":             {said},
		"restarting the router":          {said},
		"fix the office printer":         {printer},
		"restart the box":                {said, printer},
		"run the linter, then deploy it": {linter},
		"bake a cake":                    nil,
		"":                               nil,
	} {
		var found []recall.Result
		for _, content := range []string{router, said, printer, linter} {
			r := recall.Result{Memory: schema.Memory{Content: content}}
			if content == said { // tried more often than the same in other signs
				r.Memory.Attributes = schema.Attributes{schema.AttrSuccesses: "1"}
			}
			found = append(found, r)
		}
		var got []string
		for _, r := range proceduresFor(task, found, time.UTC) {
			got = append(got, r.Memory.Content)
		}
		require.Equal(t, want, got, task)
	}
	near := []recall.Result{{Memory: schema.Memory{Content: router}, Similarity: 1}}
	require.Len(t, proceduresFor("the internet is down", near, time.UTC), 1, "by its meaning")
}
