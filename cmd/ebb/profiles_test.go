package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandsFollowProfile(t *testing.T) {
	f := newFixture(t, "ada")
	plain := ebb(t, "", "explain", "violin teacher", "--db", f.db)
	require.Equal(t, plain.out, ebb(t, "", "--profile", "simple", "explain", "violin teacher", "--db", f.db).out)
	require.NotContains(t, plain.out, "recency")

	dual := ebb(t, "", "--profile", "dual", "explain", "violin teacher", "--now", "2026-03-02T07:45:00Z", "--db", f.db)
	require.Equal(t, exitOK, dual.code, dual.err)
	require.Regexp(t, `relevance +\+0\.500 += 1\.000 × 0\.50`, dual.out)
	require.Regexp(t, `recency +\+0\.300 += 1\.000 × 0\.30`, dual.out)
	require.Regexp(t, `ranker: user +\+0\.\d{3}`, dual.out)

	t.Setenv("EBB_PROFILE", "dual")
	night := ebb(t, "", "consolidate", "--json", "--db", f.db)
	require.Equal(t, exitOK, night.code, night.err)
	require.Contains(t, night.out, `"cap"`)
	require.NotContains(t, night.out, `"extract"`)

	unknown := ebb(t, "", "--profile", "quadruple", "search", "violin", "--db", f.db)
	require.Equal(t, exitUsage, unknown.code)
	require.Contains(t, unknown.err, "simple, dual, threetier")
}
