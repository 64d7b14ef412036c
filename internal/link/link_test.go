package link

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// memoryFile makes what stands for a memory file, and returns where its server
// announces itself.
func memoryFile(t testing.TB) (db, announced string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "memory.db")
	require.NoError(t, os.WriteFile(db, []byte("x"), 0o600))
	return db, db + ".serve"
}

// listen announces a server that answers every request with the header X.
func listen(t testing.TB, db string) *Listener {
	t.Helper()
	l, err := Listen(t.Context(), db)
	require.NoError(t, err)
	s := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("X")) })}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l
}

func ask(t testing.TB, s *Server) (string, error) {
	t.Helper()
	client := s.Client("X", "hello")
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return string(raw), err
}

func find(t testing.TB, db string) *Server {
	t.Helper()
	s, err := Find(db)
	require.NoError(t, err)
	return s
}

func TestAServerIsFound(t *testing.T) {
	db, announced := memoryFile(t)
	require.Nil(t, find(t, db), "none is announced")
	require.Nil(t, find(t, db+"x"), "there is no such file")
	l := listen(t, db)
	info, err := os.Stat(announced)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	answer, err := ask(t, find(t, db))
	require.NoError(t, err)
	require.Equal(t, "hello", answer)

	linked := filepath.Join(t.TempDir(), "linked.db")
	require.NoError(t, os.Symlink(db, linked))
	require.NotNil(t, find(t, linked), "by a symbolic link, too")

	second := listen(t, db)
	_ = l.Close() // the server may have closed it
	require.FileExists(t, announced, "a server takes back its own announcement alone")
	_, err = ask(t, find(t, db))
	require.NoError(t, err)
	require.NoError(t, second.Close())
	require.NoFileExists(t, announced)
}

// A file that took the memory's path later, as a restore does, is another memory.
func TestAServerOfAnotherFileIsNotUsed(t *testing.T) {
	db, _ := memoryFile(t)
	listen(t, db)
	require.NoError(t, os.WriteFile(db+".new", []byte("y"), 0o600))
	require.NoError(t, os.Rename(db+".new", db))
	require.Nil(t, find(t, db))
}

func TestAnAnnouncementOfOthersIsRefused(t *testing.T) {
	db, announced := memoryFile(t)
	listen(t, db)
	require.NoError(t, os.Chmod(announced, 0o640))
	_, err := Find(db)
	require.ErrorContains(t, err, "can be read by others")
	require.NoError(t, os.Chmod(announced, 0o600))
	require.NotNil(t, find(t, db))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(announced, 12345, -1))
		_, err = Find(db)
		require.ErrorContains(t, err, "belongs to another user")
	}
	require.NoError(t, os.Remove(announced))
	require.NoError(t, os.Mkdir(announced, 0o700))
	_, err = Find(db)
	require.ErrorContains(t, err, "not an ordinary file")
}

func TestADamagedAnnouncement(t *testing.T) {
	db, announced := memoryFile(t)
	listen(t, db)
	raw, err := os.ReadFile(announced)
	require.NoError(t, err)
	for name, change := range map[string]func(a *announcement){
		"address":     func(a *announcement) { a.Address = "example.org:443" },
		"no port":     func(a *announcement) { a.Address = "127.0.0.1" },
		"certificate": func(a *announcement) { a.Certificate = a.Certificate[1:] },
		"key":         func(a *announcement) { a.Key = nil },
	} {
		var a announcement
		require.NoError(t, json.Unmarshal(raw, &a))
		change(&a)
		changed, err := json.Marshal(a)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(announced, changed, 0o600))
		_, err = Find(db)
		require.ErrorContains(t, err, "damaged", name)
	}
	require.NoError(t, os.WriteFile(announced, []byte(strings.Replace(string(raw), `"version":1`, `"version":2`, 1)), 0o600))
	require.Nil(t, find(t, db), "another version of ebb")
}

// Who has taken the port of a server that was killed is sent nothing.
func TestAnImpostorIsSentNothing(t *testing.T) {
	db, announced := memoryFile(t)
	l := listen(t, db)
	raw, err := os.ReadFile(announced)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.NoError(t, os.WriteFile(announced, raw, 0o600)) // a server that is killed leaves it
	_, err = ask(t, find(t, db))
	require.Error(t, err, "nobody answers")

	certificate, key, err := newPair()
	require.NoError(t, err)
	own, err := configOf(certificate, key)
	require.NoError(t, err)
	own.ClientAuth = tls.RequestClientCert
	impostor, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer impostor.Close()
	heard := make(chan string, 1)
	go func() {
		conn, err := impostor.Accept()
		if err != nil {
			heard <- ""
			return
		}
		defer conn.Close()
		line, _ := bufio.NewReader(tls.Server(conn, own)).ReadString('\n')
		heard <- line
	}()
	_, err = ask(t, find(t, db))
	require.Error(t, err)
	require.Empty(t, <-heard)
}

// Who cannot read the announcement is refused.
func TestAStrangerIsRefused(t *testing.T) {
	db, _ := memoryFile(t)
	l := listen(t, db)
	certificate, key, err := newPair()
	require.NoError(t, err)
	stranger, err := configOf(certificate, key)
	require.NoError(t, err)
	stranger.InsecureSkipVerify = true
	for _, config := range []*tls.Config{stranger, {InsecureSkipVerify: true}} {
		_, err := ask(t, &Server{URL: "https://" + l.Addr().String(), config: config})
		require.Error(t, err)
	}
	conn, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: ebb\r\n\r\n"))
	require.NoError(t, err)
	line, _ := bufio.NewReader(conn).ReadString('\n')
	require.NotContains(t, line, "200")
}

// Whatever stands in the file: no panic, and a server on loopback or none.
func FuzzAnnouncement(f *testing.F) {
	db, announced := memoryFile(f)
	l, err := Listen(f.Context(), db)
	require.NoError(f, err)
	raw, err := os.ReadFile(announced)
	require.NoError(f, err)
	require.NoError(f, l.Close())
	f.Add(raw)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := parse(announced, db, raw)
		if err == nil && s != nil {
			require.Regexp(t, `^https://(127\.|\[)`, s.URL)
		}
	})
}
