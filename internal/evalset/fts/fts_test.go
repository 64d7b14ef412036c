package fts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/evalset/fts"
)

func TestSearchRanksWithinTheFilter(t *testing.T) {
	ix, err := fts.New(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, ix.Close()) }()
	require.NoError(t, ix.Add(t.Context(),
		evalset.PlainText{ID: "a", Text: "The lease test failed again", Role: "qa", Cycle: 3, Issues: []int64{14}},
		evalset.PlainText{ID: "b", Text: "Leases are leases: the lease is ten days", Role: "ops", Cycle: 5, Issues: []int64{4}},
		evalset.PlainText{ID: "c", Text: "Photos moved", Role: "ops", Cycle: 6},
	))
	for name, c := range map[string]struct {
		question string
		filter   evalset.PlainFilter
		want     []string
	}{
		"all":                 {"What about the leases?", evalset.PlainFilter{}, []string{"b", "a"}},
		"role":                {"leases", evalset.PlainFilter{Role: "qa"}, []string{"a"}},
		"an issue, not 14":    {"leases", evalset.PlainFilter{Issue: 4}, []string{"b"}},
		"cycles":              {"leases", evalset.PlainFilter{First: 4, Until: 6}, []string{"b"}},
		"quotes are no query": {`photos" OR "lease`, evalset.PlainFilter{Role: "ops", First: 6, Until: 6}, []string{"c"}},
		"no words":            {"?", evalset.PlainFilter{}, nil},
	} {
		got, err := ix.Search(t.Context(), c.question, c.filter, 10)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}
