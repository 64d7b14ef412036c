package schema_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestGuardClock(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	bad := map[string]func() time.Time{
		"zero":      func() time.Time { return time.Time{} },
		"too late":  func() time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"too early": func() time.Time { return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) },
		"panic":     func() time.Time { panic("Ada's clock") },
		"nil":       func() time.Time { var none *time.Time; return *none },
	}
	for name, now := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := schema.GuardClock("Config.Now", now, nil)
			var invalid *schema.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, "Config.Now", invalid.Field)
			require.NotContains(t, err.Error(), "Ada")
			_, err = schema.Open(t.Context(), t.TempDir()+"/memory.db", &schema.Options{Now: now})
			require.ErrorAs(t, err, &invalid)

			read, told := func() time.Time { return noon }, []error(nil)
			clock, err := schema.GuardClock("Config.Now", func() time.Time { return read() }, func(err error) { told = append(told, err) })
			require.NoError(t, err)
			read = now
			for range 3 {
				require.Equal(t, noon, clock(), "it stands still")
			}
			read = func() time.Time { return noon.Add(time.Hour) }
			require.Equal(t, noon.Add(time.Hour), clock())
			require.Len(t, told, 2)
			require.Error(t, told[0])
			require.NoError(t, told[1])
		})
	}
}
