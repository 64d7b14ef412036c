package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

var runMutants = flag.Bool("mutants", false, "make each mutant and see that its test fails")

// root is the folder of the module.
const root = "../.."

// mutantTimeout is how long one mutant may run: one that hangs is caught too.
const mutantTimeout = 5 * time.Minute

// The table fits the code: each defence is where it says, and so is its test.
func TestTableFitsTheCode(t *testing.T) {
	folders, err := testFolders(root)
	require.NoError(t, err)
	for _, a := range areas {
		seen := make(map[string]bool)
		for _, m := range a.mutants {
			t.Run(a.name+"/"+m.Defence, func(t *testing.T) {
				assert.False(t, seen[m.Defence], "the defence is listed twice")
				seen[m.Defence] = true
				require.NotEmpty(t, m.Defence)
				require.NotEqual(t, m.Old, m.New)
				mutated(t, m)
				_, err := m.folder(folders)
				assert.NoError(t, err)
			})
		}
	}
}

// Every mutant is noticed by its test, and the test passes without it.
func TestMutants(t *testing.T) {
	if !*runMutants {
		t.Skip("give -mutants to make them: it takes minutes")
	}
	overlays := t.TempDir()
	folders, err := testFolders(root)
	require.NoError(t, err)
	for _, a := range areas {
		if *onlyArea != "" && *onlyArea != a.name {
			continue
		}
		for i, m := range a.mutants {
			t.Run(a.name+"/"+m.Defence, func(t *testing.T) {
				folder, err := m.folder(folders)
				require.NoError(t, err)
				passes(t, folder, m)
				overlay := write(t, filepath.Join(overlays, fmt.Sprint(a.name, i)), m)
				out, err := goTest(t, folder, m, "-overlay", overlay)
				switch {
				case err == nil:
					t.Errorf("%s passes without the defence in %s", m.Test, m.File)
				case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
					t.Errorf("the mutant does not compile:\n%s", out)
				}
			})
		}
	}
}

// mutated is the file with the defence removed.
func mutated(t *testing.T, m Mutant) string {
	t.Helper()
	code, err := os.ReadFile(filepath.Join(root, m.File))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(code), m.Old), "the fragment must occur once in %s", m.File)
	return strings.Replace(string(code), m.Old, m.New, 1)
}

// write puts the mutant and its overlay into dir.
func write(t *testing.T, dir string, m Mutant) (overlay string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	original, err := filepath.Abs(filepath.Join(root, m.File))
	require.NoError(t, err)
	mutant := filepath.Join(dir, filepath.Base(m.File))
	require.NoError(t, os.WriteFile(mutant, []byte(mutated(t, m)), 0o600))
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: mutant}})
	require.NoError(t, err)
	overlay = filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	return overlay
}

var passed sync.Map // what was seen to pass, by test

// passes sees that the test runs and passes while the defence is there.
func passes(t *testing.T, folder string, m Mutant) {
	t.Helper()
	key := fmt.Sprint(m.Test, m.Args, m.Server)
	if _, seen := passed.Load(key); seen {
		return
	}
	out, err := goTest(t, folder, m)
	require.NoError(t, err, "the test fails with the defence in place:\n%s", out)
	require.NotContains(t, out, "no tests to run")
	passed.Store(key, true)
}

func goTest(t *testing.T, folder string, m Mutant, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mutantTimeout)
	defer cancel()
	args = append([]string{"test", "-vet=off", "-count=1", "-run", m.Test, "-timeout", "4m"}, args...)
	args = append(append(args, folder), m.Args...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	if m.Server {
		cmd.Env = append(os.Environ(), pgtest.Engine+"=postgres")
	}
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return string(out), err
}
