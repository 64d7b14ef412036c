package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestDaysInBrackets(t *testing.T) {
	h := newHost(t, openDB(t), schema.Scope{User: "ada"}, "archival_search")
	for _, days := range []string{
		`["2026-02-01", "2026-01-01"]`, `"[2026-02-01, 2026-01-01]"`, `"['2026-02-01', '2026-01-01']"`,
		`"[\"2026-02-01\", \"2026-01-01\"]"`, `"2026-02-01, 2026-01-01"`,
	} {
		require.Contains(t, h.call("archival_search", `{"query": "a", "dateRange": `+days+`}`), "ends (Fri 2026-01-02 00:00) before it begins (Sun 2026-02-01", days)
	}
	require.Contains(t, h.call("archival_search", `{"query": "a", "dateRange": "[boat]"}`), "is not one time I can read")
}
