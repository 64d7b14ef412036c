package tenants

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// inFolder is all that a folder's files hold.
func inFolder(t *testing.T, folder string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	hidden, err := filepath.Glob(filepath.Join(folder, ".*"))
	require.NoError(t, err)
	var all []byte
	for _, name := range append(names, hidden...) {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, content...)
	}
	return all
}

func TestErasedTenantIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	d := openDir(t, path, &Config{Memory: noRounds})
	said := eventbus.UserMessage(schema.Scope{Tenant: "acme", User: "ada"}, "My zorblatina is blue", eventbus.WithID("m1"))
	publish := func() {
		m, err := d.Tenant(t.Context(), "acme")
		require.NoError(t, err)
		require.NoError(t, m.Bus().Publish(t.Context(), said))
		require.NoError(t, m.Close(t.Context()))
	}
	publish()
	require.NoError(t, tell(t.Context(), d, "globex", "tea"))
	require.Contains(t, string(inFolder(t, path)), "zorblatina")
	file := filepath.Join(path, d.names.of("acme"))
	other := filepath.Join(t.TempDir(), "the same file under another name")
	require.NoError(t, os.Link(file, other))
	require.NoError(t, os.WriteFile(file+".before-repair", nil, 0o600))

	receipt, err := d.Erase(t.Context(), "acme")
	require.NoError(t, err)
	require.Equal(t, "acme", receipt.Tenant)
	require.NotZero(t, receipt.ErasedAt)
	require.Equal(t, file+".before-repair", receipt.OutOfReach[0].Place)
	var erased []string
	for _, f := range receipt.Files {
		erased = append(erased, f.Name)
	}
	require.Contains(t, erased, filepath.Base(file))
	require.NoError(t, os.Remove(file+".before-repair"))
	left, err := filepath.Glob(file + "*")
	require.NoError(t, err)
	require.Empty(t, left)
	require.NotContains(t, string(inFolder(t, path)), "zorblatina")
	content, err := os.ReadFile(other)
	require.NoError(t, err)
	require.NotEmpty(t, content)
	require.Zero(t, len(bytes.Trim(content, "\x00")), "it is overwritten, not only unlinked")

	_, err = d.Erase(t.Context(), "acme")
	require.ErrorIs(t, err, schema.ErrNotFound)
	require.NoError(t, d.tend(t.Context(), d.names.of("acme")), "a round that had read the folder before")
	require.NoFileExists(t, file)
	n, err := told(t.Context(), d, "globex")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = told(t.Context(), d, "acme")
	require.NoError(t, err)
	require.Zero(t, n, "named again, it begins anew")
	publish() // under the same id
	n, err = told(t.Context(), d, "acme")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestEraseWaitsForHolders(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds})
	m, err := d.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	file := filepath.Join(d.path, d.names.of("acme"))
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = d.Erase(soon, "acme")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "let go")
	require.FileExists(t, file)

	done := make(chan error, 1)
	go func() {
		_, err := d.Erase(t.Context(), "acme")
		done <- err
	}()
	require.NoError(t, m.Bus().Publish(t.Context(), eventbus.UserMessage(schema.Scope{Tenant: "acme", User: "ada"}, "still here")))
	require.NoError(t, m.Close(t.Context()))
	require.NoError(t, <-done)
	require.NoFileExists(t, file)
}

func TestEraseOfOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	d := openDir(t, path, &Config{Memory: noRounds})
	require.NoError(t, tell(t.Context(), d, "acme", "tea"))
	require.NoError(t, d.Close(t.Context()))
	again := openDir(t, path, &Config{Memory: noRounds})
	elsewhere, err := extension.Open(t.Context(), filepath.Join(path, again.names.of("acme")), noRounds)
	require.NoError(t, err)
	_, err = again.Erase(t.Context(), "acme")
	require.ErrorIs(t, err, schema.ErrBusy)
	require.NoError(t, elsewhere.Close(t.Context()))
	n, err := told(t.Context(), again, "acme")
	require.NoError(t, err)
	require.Equal(t, 1, n, "nothing was lost")

	looking := openDir(t, path, &Config{Memory: &extension.Config{ReadOnly: true}})
	_, err = looking.Erase(t.Context(), "acme")
	require.ErrorIs(t, err, schema.ErrReadOnly)
}

// What a killed process left of a tenant goes with it, log and all.
func TestErasedTenantLeavesNoLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	d := openDir(t, path, &Config{Memory: noRounds})
	file := filepath.Join(path, d.names.of("acme"))
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", "-mark"} {
		require.NoError(t, os.WriteFile(file+suffix, []byte("zorblatina"), 0o600))
	}
	other := filepath.Join(t.TempDir(), "the same log under another name")
	require.NoError(t, os.Link(file+"-wal", other))
	receipt, err := d.Erase(t.Context(), "acme")
	require.NoError(t, err, "although it cannot be opened")
	require.Len(t, receipt.Files, 5)
	left, err := filepath.Glob(file + "*")
	require.NoError(t, err)
	require.Empty(t, left)
	content, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, make([]byte, len("zorblatina")), content)
}

// An erasure that was killed after its first step brings nothing back, and the next
// open of the folder finishes it.
func TestInterruptedTenantErasureIsFinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	d := openDir(t, path, &Config{Memory: noRounds})
	require.NoError(t, tell(t.Context(), d, "acme", "My zorblatina is blue"))
	require.NoError(t, tell(t.Context(), d, "globex", "tea"))
	file := filepath.Join(path, d.names.of("acme"))
	require.NoError(t, d.Close(t.Context()))
	aside := filepath.Join(path, "."+filepath.Base(file)+".erasing")
	require.NoError(t, os.Rename(file, aside))
	require.NoError(t, os.WriteFile(file+"-wal", []byte("zorblatina"), 0o600))

	looking := openDir(t, path, &Config{Memory: &extension.Config{ReadOnly: true}})
	_, err := looking.Tenant(t.Context(), "acme")
	require.ErrorIs(t, err, schema.ErrNotFound, "nobody sees it in the meantime")
	listed, err := looking.Tenants(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.FileExists(t, aside, "who only looks changes nothing")

	d = openDir(t, path, &Config{Memory: noRounds})
	require.NotContains(t, string(inFolder(t, path)), "zorblatina")
	require.NoFileExists(t, aside)
	require.NoFileExists(t, file+"-wal")
	n, err := told(t.Context(), d, "acme")
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, tell(t.Context(), d, "acme", "a new beginning"))

	// One that was made since keeps what is its own.
	require.NoError(t, os.WriteFile(aside, []byte("zorblatina"), 0o600))
	other := openDir(t, path, &Config{Memory: noRounds})
	require.NoFileExists(t, aside)
	n, err = told(t.Context(), other, "acme")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// eraseHeld holds acme's memory and starts to erase it, which waits for the holder.
func eraseHeld(t *testing.T, d *Dir) (holder *Tenant, erased <-chan error, waits func() bool) {
	t.Helper()
	holder, err := d.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := d.Erase(t.Context(), "acme")
		done <- err
	}()
	waits = func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.erasing) == 1
	}
	require.Eventually(t, waits, time.Minute, time.Millisecond)
	return holder, done, waits
}

// Erase gets the memory of a tenant that always has callers: those that come later wait.
func TestEraseOfABusyTenant(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds})
	require.NoError(t, tell(t.Context(), d, "acme", "tea"))
	holder, erased, waits := eraseHeld(t, d)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := d.Tenant(soon, "acme")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "erased")
	later := make(chan int, 1)
	go func() {
		n, err := told(t.Context(), d, "acme")
		assert.NoError(t, err)
		later <- n
	}()
	require.NoError(t, tell(t.Context(), d, "globex", "other tenants go on"))
	require.NoError(t, holder.Close(t.Context()))
	require.NoError(t, <-erased)
	require.Zero(t, <-later)
	require.False(t, waits())

	holder, err = d.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	soon, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = d.Erase(soon, "acme")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	n, err := told(t.Context(), d, "acme")
	require.NoError(t, err, "the erasure was given up")
	require.Zero(t, n)
	require.NoError(t, holder.Close(t.Context()))
}

// A caller that holds the memory for which Erase waits, and asks for it again, does not wait for
// ever, and the rounds pass over the tenant.
func TestEraseWaitsForACallerThatAsksAgain(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds})
	require.NoError(t, tell(t.Context(), d, "acme", "tea"))
	holder, erased, _ := eraseHeld(t, d)
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.NoError(t, d.tend(soon, d.names.of("acme")))
	_, err := d.Tenant(t.Context(), "acme")
	require.ErrorIs(t, err, schema.ErrBusy)
	require.NoError(t, holder.Close(t.Context()))
	require.NoError(t, <-erased)
}
