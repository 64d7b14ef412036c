package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
)

// TestServeProcess is the server that a person starts.
func TestServeProcess(*testing.T) {
	if args := os.Getenv("EBB_TEST_SERVE"); args != "" {
		os.Args = append([]string{"ebb"}, strings.Split(args, "\n")...)
		main()
	}
}

// startServer starts "ebb serve" and returns its address.
func startServer(t *testing.T, args ...string) (address string, child *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child = exec.CommandContext(t.Context(), self, "-test.run=^TestServeProcess$")
	child.Env = append(os.Environ(), "EBB_TEST_SERVE="+strings.Join(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), "\n"))
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	t.Cleanup(func() { // one that has ended says so twice
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return regexp.MustCompile(`https?://\S+`).FindString(line), child
}

func post(t *testing.T, token, url, content string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(content))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

// A newcomer makes a token, starts the server and remembers a fact; the server is
// killed, and what it acknowledged is there.
func TestServe(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	made := ebb(t, "", "token", "add", "laptop", "--user", "ada", "--as", "host", "--db", db)
	require.Equal(t, exitOK, made.code, made.err)
	token := strings.TrimSpace(made.out)
	listed := ebb(t, "", "token", "list", "--db", db)
	require.Contains(t, listed.out, "laptop")
	require.NotContains(t, listed.out, strings.TrimPrefix(token, "ebb_"))
	address, child := startServer(t, "--db", db)
	status, answer := post(t, token, address+"/v1/turns", `{"turns":[{"role":"user","text":"I'm allergic to cashews."}]}`)
	require.Equal(t, http.StatusOK, status, answer)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	address, child = startServer(t, "--db", db)
	status, answer = post(t, token, address+"/v1/search", `{"query":"What am I allergic to?"}`)
	require.Equal(t, http.StatusOK, status, answer)
	require.Contains(t, answer, "cashews")
	require.Equal(t, exitOK, ebb(t, "", "token", "revoke", "laptop", "--db", db).code)
	status, _ = post(t, token, address+"/v1/search", `{"query":"x"}`)
	require.Equal(t, http.StatusUnauthorized, status)
	require.NoError(t, child.Process.Signal(os.Interrupt))
	require.NoError(t, child.Wait(), "a signal ends it in order")
}

func TestServeCommandLine(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	for name, args := range map[string][]string{
		"open to others":     {"serve", "--listen", "0.0.0.0:0"},
		"open by default":    {"serve", "--listen", ":0"},
		"no port":            {"serve", "--listen", "localhost"},
		"half of TLS":        {"serve", "--listen", "0.0.0.0:0", "--tls-cert", db},
		"TLS without a pair": {"serve", "--listen", "0.0.0.0:0", "--tls-cert", db, "--tls-key", db},
		"a rate of nothing":  {"serve", "--rate", "0"},
		"a token for nobody": {"token", "add", "x"},
		"a service for one":  {"token", "add", "x", "--service", "--user", "ada"},
		"as a king":          {"token", "add", "x", "--user", "ada", "--as", "king"},
	} {
		got := ebb(t, "", append(args, "--db", db)...)
		require.Equal(t, exitUsage, got.code, "%s: %s", name, got.err)
		require.NoFileExists(t, db, name)
	}
	require.Equal(t, exitNotFound, ebb(t, "", "token", "revoke", "x", "--db", db).code)
	t.Setenv("EBB_USER", "ada")
	for _, kind := range []string{"--service", "--as=metrics"} {
		refused := ebb(t, "", "token", "add", "x"+kind, kind, "--db", db)
		require.Equal(t, exitUsage, refused.code)
		require.Contains(t, refused.err, "EBB_USER is set unset it or add --user=''")
		require.Equal(t, exitOK, ebb(t, "", "token", "add", "x"+kind, kind, "--user=", "--db", db).code)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NotEqual(t, exitUsage, ebbContext(ctx, "", "serve", "--listen", "127.0.0.1:0", "--db", db).code)
}

// Two servers on one memory share its tokens: what one stored the other finds.
func TestServeOnAServer(t *testing.T) {
	db := memtest.Server(t)
	refused := ebb(t, "", "token", "add", "laptop", "--user", "ada", "--db", db)
	require.NotZero(t, refused.code)
	require.Contains(t, refused.err, "EBB_TOKENS")
	t.Setenv("EBB_TOKENS", filepath.Join(t.TempDir(), "tokens"))
	made := ebb(t, "", "token", "add", "laptop", "--user", "ada", "--as", "host", "--db", db)
	require.Equal(t, exitOK, made.code, made.err)
	token := strings.TrimSpace(made.out)
	first, _ := startServer(t, "--db", db)
	second, _ := startServer(t, "--db", db)
	status, answer := post(t, token, first+"/v1/turns", `{"turns":[{"role":"user","text":"I'm allergic to cashews."}]}`)
	require.Equal(t, http.StatusOK, status, answer)
	status, answer = post(t, token, second+"/v1/search", `{"query":"What am I allergic to?"}`)
	require.Equal(t, http.StatusOK, status, answer)
	require.Contains(t, answer, "cashews")
	require.Equal(t, exitOK, ebb(t, "", "token", "revoke", "laptop", "--db", db).code)
	status, _ = post(t, token, second+"/v1/search", `{"query":"x"}`)
	require.Equal(t, http.StatusUnauthorized, status)
}
