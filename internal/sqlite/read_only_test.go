//go:build linux

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func init() {
	if path := os.Getenv("EBB_LOOK"); path != "" {
		look(path)
		os.Exit(0)
	}
}

// look is what the test binary does with EBB_LOOK set: it opens the file for
// looking, says how that went, and once more for each line it is sent.
func look(path string) {
	if folder := os.Getenv("EBB_LOOK_MOUNT"); folder != "" {
		err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount(folder, folder, "", unix.MS_BIND, ""),
			unix.Mount("", folder, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		if err != nil {
			fmt.Println("no mount:", err)
			return
		}
	}
	ctx := context.Background()
	db, err := schema.Open(ctx, path, &schema.Options{ReadOnly: true})
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	for again := bufio.NewScanner(os.Stdin); ; {
		var n int
		err = db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT count(*) FROM memories", nil, &n)
		})
		fmt.Printf("%d memories, still %t, %v\n", n, db.Immutable(), err)
		if !again.Scan() {
			break
		}
	}
	fmt.Println("closed:", db.Close())
}

// looker is a process that looks at a file as somebody who may only read it.
type looker struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

func startLooking(t *testing.T, path, mount string) *looker {
	t.Helper()
	// Under that name somebody else may start it too: its folder is private.
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), "EBB_LOOK="+path, "EBB_LOOK_MOUNT="+mount)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if mount != "" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		}
	}
	l := &looker{cmd: cmd}
	var err error
	l.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	l.out = bufio.NewReader(out)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	return l
}

func (l *looker) says(t *testing.T) string {
	t.Helper()
	line, err := l.out.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

func (l *looker) ends(t *testing.T) {
	t.Helper()
	require.NoError(t, l.in.Close())
	_, err := io.Copy(io.Discard, l.out)
	require.NoError(t, err)
	require.NoError(t, l.cmd.Wait())
}

// elsewhere is a closed memory with one message, in a folder that only its owner can
// write.
func elsewhere(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755)) //nolint:gosec // the other user is to get there
	path := filepath.Join(folder, "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "the ferry leaves at nine")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, os.Chmod(path, 0o444))
	return path
}

func TestReadOnlyFolder(t *testing.T) {
	for _, c := range []struct {
		name, beside, content string // a file that stands beside it
		medium                string // what is said of it on a medium that cannot be written
		folder                string // and in a folder that may not be
	}{
		{"alone", "", "", "1 memories, still true, <nil>", "1 memories, still true, <nil>"},
		{"an empty log", "-wal", "", "1 memories, still true, <nil>", "1 memories, still true, <nil>"},
		{"a log", "-wal", "what is not in the file", "refused: .*read-only: .*memory.db-wal holds what is not in the file yet; copy both", "refused: .*read-only: .*memory.db-wal holds what is not in the file yet; copy both"},
		{"an index left behind", "-shm", strings.Repeat("\x00", 32768), "1 memories, still true, <nil>", "refused: .*read-only: .*memory.db-shm shows that another program may have it open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := elsewhere(t)
			folder := filepath.Dir(path)
			if c.beside != "" {
				require.NoError(t, os.WriteFile(path+c.beside, []byte(c.content), 0o444))
			}
			before, err := filepath.Glob(folder + "/*")
			require.NoError(t, err)
			for _, mount := range []string{folder, ""} {
				want := c.medium
				if mount == "" {
					want = c.folder
					require.NoError(t, os.Chmod(folder, 0o555))
					t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
				} else if os.Geteuid() != 0 {
					continue // who is not root mounts nothing
				}
				l := startLooking(t, path, mount)
				got := l.says(t)
				l.ends(t)
				if strings.HasPrefix(got, "no mount:") {
					t.Log(got)
					continue
				}
				require.Regexp(t, want, got)
				after, err := filepath.Glob(folder + "/*")
				require.NoError(t, err)
				require.Equal(t, before, after)
			}
		})
	}
}

// Without locks a reader cannot keep others from writing; it detects writes instead.
func TestLocklessReadDetectsWrites(t *testing.T) {
	path := elsewhere(t)
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o555))
	l := startLooking(t, path, "")
	defer l.ends(t)
	require.Equal(t, "1 memories, still true, <nil>", l.says(t))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755))
	require.NoError(t, os.Chmod(path, 0o644))
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "no, at ten")
	require.NoError(t, err)
	for range 2 { // while the log holds it, and when it is in the file
		_, err = io.WriteString(l.in, "again\n")
		require.NoError(t, err)
		require.Contains(t, l.says(t), schema.ErrBusy.Error()+": it was opened where nobody may write")
		require.NoError(t, db.Close())
	}
}

// What SQLite puts beside a file is as private as the file, also when it is
// only looked at.
func TestReadOnlySideFilesArePrivate(t *testing.T) {
	umask := syscall.Umask(0)
	defer syscall.Umask(umask)
	path := elsewhere(t)
	for mode, beside := range map[os.FileMode]os.FileMode{0o600: 0o600, 0o400: 0o600, 0o640: 0o640} {
		require.NoError(t, os.Chmod(path, mode))
		db, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
		require.NoError(t, err)
		for _, suffix := range []string{"-wal", "-shm"} {
			info, err := os.Stat(path + suffix)
			require.NoError(t, err)
			require.Equal(t, beside, info.Mode().Perm(), "%s of %v", suffix, mode)
		}
		require.NoError(t, db.Close())
	}
}

func TestReadOnlyFile(t *testing.T) {
	path := elsewhere(t)
	require.NoError(t, os.Chmod(path, 0o400))
	if os.Geteuid() == 0 {
		for _, name := range []string{path, filepath.Dir(path)} {
			require.NoError(t, os.Chown(name, 65534, 65534))
		}
	}
	for range 2 { // what the first has left beside it is no obstacle
		l := startLooking(t, path, "")
		require.Equal(t, "1 memories, still false, <nil>", l.says(t))
		_, err := io.WriteString(l.in, "again\n")
		require.NoError(t, err)
		require.Equal(t, "1 memories, still false, <nil>", l.says(t))
		l.ends(t)
	}
}
