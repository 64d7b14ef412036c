package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/encoders"
)

// mirror serves the random model on loopback, and makes it a model that is
// known by name. Its weights break off half-way the first time.
type mirror struct {
	url string

	mu     sync.Mutex
	cut    bool   // the next transfer of the weights breaks off
	forged bool   // the weights are others of the same size
	asked  int    // requests
	part   string // the Range that was asked for last
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	published := encoders.Published{Name: "tiny", Licence: "ours"}
	for _, name := range []string{"config.json", "modules.json", "1_Pooling/config.json", "config_sentence_transformers.json",
		"sentence_bert_config.json", "tokenizer_config.json", "tokenizer.json", "model.safetensors"} {
		data, err := os.ReadFile(filepath.Join(randomModel, name))
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		published.Files = append(published.Files, encoders.File{Name: name, Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	before := encoders.Known
	encoders.Known = append([]encoders.Published{published}, before...)
	t.Cleanup(func() { encoders.Known = before })
	m := new(mirror)
	files := http.StripPrefix("/tiny/", http.FileServer(http.Dir(randomModel)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked++
		if r.URL.Path != "/tiny/model.safetensors" {
			files.ServeHTTP(w, r)
			return
		}
		data, err := os.ReadFile(filepath.Join(randomModel, "model.safetensors"))
		if err != nil {
			panic(err)
		}
		if m.part = r.Header.Get("Range"); m.forged {
			data[len(data)-1] ^= 1
			_, _ = w.Write(data)
			return
		}
		if m.cut {
			m.cut = false
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
			_, _ = w.Write(data[:9000])
			panic(http.ErrAbortHandler)
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL + "/tiny"
	return m
}

func TestInstallDownloads(t *testing.T) {
	folder, m := dataFolder(t), newMirror(t)
	m.cut = true
	o := ebb(t, "", "encoder", "install", "tiny", "--mirror", m.url)
	require.Equal(t, exitFailure, o.code)
	require.Contains(t, o.err, "model.safetensors: the transfer broke off")
	require.NoDirExists(t, filepath.Join(folder, "tiny"))
	require.Contains(t, ebb(t, "", "encoder", "list").out, "No encoder is installed")
	before := m.asked

	o = ebb(t, "", "encoder", "install", "tiny", "--mirror", m.url+"/", "--name", "mine")
	require.Equal(t, exitOK, o.code, o.err)
	require.Equal(t, "bytes=9000-", m.part, "it goes on where it broke off")
	require.Equal(t, before+1, m.asked, "what was there is not fetched again")
	require.Contains(t, o.out, "licence ours, from "+m.url)
	require.Contains(t, o.out, "Encoder mine installed: bert-20-")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)

	before = m.asked
	o = ebb(t, "", "encoder", "install", "tiny", "--mirror", m.url, "--name", "mine")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "is installed already")
	o = ebb(t, "", "eval", evalFixture, "--encoder", "tiny")
	require.Equal(t, exitUsage, o.code, "known is not installed")
	require.Equal(t, before, m.asked, "nothing is downloaded unasked")
}

func TestInstallRefusesOtherFiles(t *testing.T) {
	folder, m := dataFolder(t), newMirror(t)
	m.forged = true
	for range 2 {
		o := ebb(t, "", "encoder", "install", "tiny", "--mirror", m.url)
		require.Equal(t, exitFailure, o.code)
		require.Regexp(t, `model\.safetensors: \d+ bytes with SHA-256 [0-9a-f]{64} came`, o.err)
		require.NoDirExists(t, filepath.Join(folder, "tiny"))
	}
	m.forged = false
	o := ebb(t, "", "encoder", "install", "tiny", "--mirror", m.url)
	require.Equal(t, exitOK, o.code, o.err)

	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"unknown":    {[]string{"nosuch"}, `no folder "nosuch", and no model of this name`},
		"no address": {[]string{"tiny", "--name", "x", "--mirror", "example.com"}, "is not an address"},
		"a folder":   {[]string{randomModel, "--mirror", m.url}, "is a folder"},
		"taken":      {[]string{"minilm", "--name", "tiny"}, "another encoder tiny is installed"},
	} {
		o := ebb(t, "", append([]string{"encoder", "install"}, c.args...)...)
		require.Equal(t, exitUsage, o.code, name)
		require.Contains(t, o.err, c.says, name)
	}
	o = ebb(t, "", "encoder", "install", "tiny", "--name", "x", "--mirror", m.url+"/nowhere")
	require.Equal(t, exitFailure, o.code)
	require.Contains(t, o.err, "404")
}
