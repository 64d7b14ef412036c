package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A healthy file in a place where nobody may write is not called damaged.
func TestDoctorWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	f := newFixture(t, "ada")
	dir := filepath.Dir(f.db)
	for _, test := range []struct {
		name      string
		file, dir os.FileMode
	}{{"file", 0, 0o700}, {"folder", 0o400, 0o500}} {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, os.Chmod(f.db, test.file))
			require.NoError(t, os.Chmod(dir, test.dir))
			defer func() { require.NoError(t, os.Chmod(dir, 0o700)) }()
			got := ebb(t, "", "doctor", f.db)
			require.Equal(t, exitFailure, got.code, got.out)
			require.Contains(t, got.err, "could not be examined")
			require.Contains(t, got.out, "fix: run ebb doctor as a user who may read and write")
			require.NotContains(t, got.out, "damaged")
		})
	}
}
