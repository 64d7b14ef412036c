package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Without the import of an engine, Open names the import that is missing.
func TestMissingEngineNamesItsImport(t *testing.T) {
	require.True(t, IsServer("postgres://host/memory"))
	require.False(t, IsServer("./postgres:/memory.db"))
	_, err := Open(t.Context(), "postgres://host/memory", Config{})
	require.ErrorContains(t, err, `add import _ "github.com/ebbmem/ebb/postgres"`)
	_, err = Open(t.Context(), "Postgres://host/memory", Config{})
	require.ErrorContains(t, err, "write it as postgres://user@host/database")
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
}

func TestShownPathHasNoPassword(t *testing.T) {
	for path, want := range map[string]string{
		"./memory.db":                     "./memory.db",
		"/home/ada@work/memory.db":        "/home/ada@work/memory.db",
		`C:\memory.db`:                    `C:\memory.db`,
		"postgres://ada:s3cret@db/memory": "postgres://ada@db/memory",
		"postgresql://ada:s3%40cret@db:5432/m?sslmode=require": "postgresql://ada@db:5432/m?sslmode=require",
		"postgres://db/m?user=ada&password=s3cret":             "postgres://db/m?user=ada",
		"postgres://db/m?sslpassword=s3cret&sslkey=k":          "postgres://db/m?sslkey=k",
		"postgres:///m?host=/run&Password=s3cret":              "postgres:///m?host=%2Frun",
		"postgres://ada:s3cret@db:port/m":                      "postgres://…",
		"postgres://ada:s3/cret@db/m":                          "postgres://…",
		"postgres://ada:12/s3cret@db/m":                        "postgres://…",
		"postgres://ada:12?s3cret@db/m":                        "postgres://…",
		"postgres://ada:12#s3cret@db/m":                        "postgres://…",
		"postgres://ada:s3cret%zz@db/m":                        "postgres://…",
		"postgres:/ada:s3cret@db/m":                            "postgres://…",
		"postgres:ada:s3cret@db/m":                             "postgres://…",
		"Postgres://ada:s3cret@db/m":                           "postgres://ada@db/m",
		"host=db user=ada password=s3cret":                     "postgres://…",
		"password = 's3cret' host=db":                          "postgres://…",
	} {
		require.Equal(t, want, ShownPath(path), path)
		require.NotContains(t, ShownPath(path), "s3cret")
	}
}
