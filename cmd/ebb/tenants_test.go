package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/tenants"
)

func TestTenants(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "memories")
	d, err := tenants.Open(t.Context(), folder, &tenants.Config{Memory: &extension.Config{Night: extension.NightConfig{NoSchedule: true}}})
	require.NoError(t, err)
	for _, tenant := range []string{"globex", "ac\x1bme"} {
		m, err := d.Tenant(t.Context(), tenant)
		require.NoError(t, err)
		require.NoError(t, m.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{Tenant: tenant, User: "ada"}, "tea")))
		require.NoError(t, m.Close(t.Context()))
	}
	require.NoError(t, d.Close(t.Context()))

	got := ebb(t, "", "tenants", folder)
	require.Equal(t, exitOK, got.code, got.err)
	require.Regexp(t, `globex +[\d.]+ ..?B +\S.*(?s:.*)globex +[a-z2-7]{52}\.db`, got.out)
	require.NotContains(t, got.out, "\x1b")
	var listed struct{ Tenants []tenants.File }
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "tenants", folder, "--json").out), &listed))
	require.Len(t, listed.Tenants, 2)
	require.Equal(t, "ac\x1bme", listed.Tenants[0].Tenant)
	require.NotZero(t, listed.Tenants[0].Used)

	bad := filepath.Join(folder, strings.Repeat("a", 52)+".db")
	require.NoError(t, os.WriteFile(bad, []byte("no memory"), 0o600))
	got = ebb(t, "", "tenants", folder)
	require.Equal(t, exitDamaged, got.code)
	require.Contains(t, got.out, "globex")
	require.Contains(t, got.out, "not known")
	require.Contains(t, got.err, filepath.Base(bad))

	got = ebb(t, "", "tenants", folder+"x")
	require.Equal(t, exitNotFound, got.code)
	got = ebb(t, "", "tenants", t.TempDir())
	require.NotEqual(t, exitOK, got.code, "not a folder of memories")
}
