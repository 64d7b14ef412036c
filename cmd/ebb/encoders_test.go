package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/encoders"
)

// randomModel is an encoder without any sense: a few KB of random weights.
const randomModel = "../../encoder/testdata/bert"

// dataFolder gives a test a data folder of its own, without encoders.
func dataFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("XDG_DATA_HOME", folder)
	return filepath.Join(folder, "ebb", "encoders")
}

func TestInstallAndListEncoders(t *testing.T) {
	folder := dataFolder(t)
	o := ebb(t, "", "encoder", "list")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "No encoder is installed")

	from := t.TempDir()
	require.NoError(t, os.CopyFS(from, os.DirFS(randomModel)))
	require.NoError(t, os.WriteFile(filepath.Join(from, "README.md"), []byte("---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(from, "pytorch_model.bin"), []byte("not needed"), 0o600))
	o = ebb(t, "", "encoder", "install", from, "--name", "random")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "Encoder random installed: bert-20-")
	require.Contains(t, o.out, "Licence: apache-2.0")
	require.Contains(t, o.out, `Prompts: "query: " before questions, "passage: " before texts`)
	require.Regexp(t, `[0-9a-f]{64}  model\.safetensors`, o.out)
	require.FileExists(t, filepath.Join(folder, "random", "1_Pooling", "config.json"))
	require.FileExists(t, filepath.Join(folder, "random", "README.md"))
	require.NoFileExists(t, filepath.Join(folder, "random", "pytorch_model.bin"))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing half-made stays")

	o = ebb(t, "", "encoder", "install", from, "--name", "random")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "is installed already")
	o = ebb(t, "", "encoder", "install", "../../encoder/testdata/static", "--name", "random")
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "another encoder random is installed")
	o = ebb(t, "", "--json", "encoder", "install", "../../encoder/testdata/static")
	require.Equal(t, exitOK, o.code, o.err)
	var view encoders.Installed
	require.NoError(t, json.Unmarshal([]byte(o.out), &view))
	require.Equal(t, "static", view.Name)
	require.Equal(t, 12, view.Dims)
	require.Empty(t, view.Licence)

	o = ebb(t, "", "encoder", "list")
	require.Equal(t, exitOK, o.code, o.err)
	require.Regexp(t, `random +\S+ KiB +apache-2.0 +bert-20-`, o.out)
	require.Regexp(t, `static +\S+ KiB +not stated +static-12-`, o.out)

	o = ebb(t, "", "eval", evalFixture, "--encoder", "random", "--encoder-int8")
	require.Equal(t, exitOK, o.code, o.err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "random", "1_Pooling", "config.json"), []byte(`{"pooling_mode": "cls"}`), 0o600))
	o = ebb(t, "", "eval", evalFixture, "--encoder", "random")
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "the files of the encoder random have changed")
}

func TestInstallRefusesWhatIsNoModel(t *testing.T) {
	folder := dataFolder(t)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no model": {[]string{t.TempDir()}, "config.json"},
		"name":     {[]string{randomModel, "--name", "../x"}, "cannot be an encoder's name"},
	} {
		o := ebb(t, "", append([]string{"encoder", "install"}, c.args...)...)
		require.Equal(t, exitUsage, o.code, name)
		require.Contains(t, o.err, c.says, name)
		requireOneLine(t, o)
		require.NoDirExists(t, folder, name)
	}
}

func TestSearchWithAnEncoder(t *testing.T) {
	dataFolder(t)
	turns := `{"id":"1","session":"s","time":"2026-01-02T10:00:00Z","speaker":"Ada","role":"user","text":"I drive a green Skoda."}` + "\n"
	without := filepath.Join(t.TempDir(), "memory.db")
	require.Equal(t, exitOK, ebb(t, turns, "--db", without, "--user", "ada", "import", "-").code)
	o := ebb(t, "", "--db", without, "search", "Skoda", "--encoder", randomModel)
	require.Contains(t, o.out, "The vector arm did not answer: no text has a vector yet")
	require.Contains(t, o.out, "run `ebb serve --encoder "+randomModel+"`")
	require.Contains(t, o.out, "green Skoda")
	require.NotContains(t, ebb(t, "", "--db", without, "search", "Skoda").out, "vector")

	db := filepath.Join(t.TempDir(), "memory.db")
	o = ebb(t, turns, "--db", db, "--user", "ada", "import", "-", "--encoder", randomModel)
	require.Equal(t, exitOK, o.code, o.err)
	// No word of the question is in the memory.
	const question = "xyzzy plugh"
	o = ebb(t, "", "--db", db, "search", question)
	require.NotContains(t, o.out, "Skoda")
	o = ebb(t, "", "--db", db, "explain", question, "--encoder", randomModel)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "Skoda")
	require.Contains(t, o.out, "vector arm")
	for _, other := range [][]string{{"../../encoder/testdata/static"}, {randomModel, "--encoder-int8"}} {
		o = ebb(t, "", append([]string{"--db", db, "search", question, "--encoder"}, other...)...)
		require.Equal(t, exitOK, o.code, o.err)
		require.NotContains(t, o.out, "Skoda", "vectors of two models are not compared")
		require.Contains(t, strings.Join(strings.Fields(o.out), " "), "and this process makes none")
	}
}

// An import of an archive ends when its vectors are made.
func TestArchiveWithAnEncoder(t *testing.T) {
	dataFolder(t)
	dir := t.TempDir()
	var notes strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&notes, "# Note %d\n\nThe ferry leaves pier %d at noon.\n\n", i, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), []byte(notes.String()), 0o600))
	db := filepath.Join(t.TempDir(), "memory.db")
	o := ebb(t, "", "--db", db, "--user", "team", "import", "--archive", dir, "--encoder", randomModel)
	require.Equal(t, exitOK, o.code, o.err)
	o = ebb(t, "", "--db", db, "--json", "stats")
	require.Equal(t, exitOK, o.code, o.err)
	var stats struct {
		Health struct {
			Vectors struct{ Chunks, Pending int }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(o.out), &stats))
	require.GreaterOrEqual(t, stats.Health.Vectors.Chunks, 1000, o.out)
	require.Zero(t, stats.Health.Vectors.Pending)
}

func TestEvalWithAnEncoder(t *testing.T) {
	dataFolder(t)
	dir := dogless(t)
	found := func(args ...string) (mrr float64) {
		o := ebb(t, "", append([]string{"--json", "eval", dir}, args...)...)
		require.Equal(t, exitOK, o.code, o.err)
		var view evalView
		require.NoError(t, json.Unmarshal([]byte(o.out), &view))
		return view.Total.MRR
	}
	require.Zero(t, found())
	require.NotZero(t, found("--encoder", randomModel, "--k", "30"), "every turn has a vector")
}

func TestEncoderThatIsNotThere(t *testing.T) {
	dataFolder(t)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"name":   {[]string{"eval", evalFixture, "--encoder", "minilm"}, `there is no encoder and no folder "minilm"`},
		"folder": {[]string{"search", "x", "--encoder", "./nowhere"}, `no folder "./nowhere"`},
		"both":   {[]string{"eval", evalFixture, "--encoder", randomModel, "--embedder", "http://127.0.0.1:9/v1"}, "--embedder and --encoder"},
		"int8":   {[]string{"search", "x", "--encoder-int8"}, "--encoder-int8 needs --encoder"},
		"static": {[]string{"eval", evalFixture, "--encoder", "../../encoder/testdata/static", "--encoder-int8"}, "int8 is not supported for static"},
		"bank":   {[]string{"import", "bank.md", "--bank", "--encoder", randomModel}, "--encoder makes vectors"},
		"chat":   {[]string{"--user", "ada", "--db", filepath.Join(t.TempDir(), "m.db"), "chat", "--base-url", "http://127.0.0.1:9/v1", "--encoder", "minilm"}, `no folder "minilm"`},
		"import": {[]string{"--user", "ada", "--db", filepath.Join(t.TempDir(), "m.db"), "import", "-", "--encoder", t.TempDir()}, "config.json"},
	} {
		o := ebb(t, "", c.args...)
		require.Equal(t, exitUsage, o.code, name)
		require.Contains(t, o.err, c.says, name)
		requireOneLine(t, o)
	}
}
