package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPipeProcess is the process that TestAClosedPipeLeavesNothingBehind reads
// no further.
func TestPipeProcess(*testing.T) {
	if os.Getenv("EBB_TEST_PIPE") == "" {
		return
	}
	os.Args = []string{"ebb", "demo"}
	main()
}

func TestAClosedPipeLeavesNothingBehind(t *testing.T) {
	temp := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestPipeProcess$")
	child.Env = append(os.Environ(), "EBB_TEST_PIPE=1", "TMPDIR="+temp)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	child.Stdout = writer
	require.Error(t, child.Run())
	require.NoError(t, writer.Close())
	require.Equal(t, exitPipe, child.ProcessState.ExitCode())
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left, "the demo's temporary file is removed")
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestAClosedPipeIsNotReported(t *testing.T) {
	f := newFixture(t, "ada")
	commands := reading(f.adaID)
	commands["export"], commands["version"], commands["help"] = []string{"export"}, []string{"version"}, []string{"--help"}
	for name, args := range commands {
		var errs failingWriter
		code := run(t.Context(), append(args, "--db", f.db), nil, closedPipe{}, &errs)
		require.Equal(t, exitPipe, code, name)
		require.Empty(t, errs.written, name)
	}
}

// failingWriter keeps what is written and reports failure, as a closed
// standard error does.
type failingWriter struct{ written []byte }

func (w *failingWriter) Write(p []byte) (int, error) {
	w.written = append(w.written, p...)
	return 0, errors.New("closed")
}
