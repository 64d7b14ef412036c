package server

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
)

var requests = flag.Int("requests", 1000, "how many requests 50 clients make, together")

// Fifty clients of two users write and ask at once. No answer holds a word of the
// other user, and every message is there afterwards.
func TestACrowdOfTwoUsers(t *testing.T) {
	const clients = 50
	w := newWorld(t, Options{Rate: 1 << 20})
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	w.http.Client().Transport = transport
	tokens := map[string]string{"ada": w.adaHost, "bob": w.bobHost}
	secret := map[string]string{"ada": "marzipan", "bob": "turmeric"}
	other := map[string]string{"ada": "bob", "bob": "ada"}
	for user, token := range tokens {
		w.ask(200, token, "POST", "/v1/turns", dict{"turns": []dict{{"role": "user", "text": "My secret word is " + secret[user] + "."}}})
	}
	var mu sync.Mutex
	var took []time.Duration
	var faults []string
	told := 0
	var all sync.WaitGroup
	each := *requests / clients
	for c := range clients {
		user := []string{"ada", "bob"}[c%2]
		all.Go(func() {
			for n := range each {
				path, in := "/v1/search", any(dict{"query": "What is the secret word?"})
				switch n % 4 {
				case 0:
					path, in = "/v1/turns", dict{"session": fmt.Sprint(c), "turns": []dict{{"role": "user", "text": fmt.Sprintf("Client %d of %s counts %d.", c, user, n), "id": fmt.Sprintf("%d-%d", c, n)}}}
				case 1:
					path, in = "/v1/context", dict{"question": "What is my secret word?"}
				}
				start := time.Now()
				status, answer := w.do(w.request(tokens[user], "POST", path, text.JSON(in)))
				passed := time.Since(start)
				mu.Lock()
				took = append(took, passed)
				if status != 200 || strings.Contains(answer, secret[other[user]]) || strings.Contains(answer, "of "+other[user]+" counts") {
					faults = append(faults, fmt.Sprint(user, " ", path, " ", status, ": ", answer))
				}
				if strings.Contains(answer, secret[user]) {
					told++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	require.Empty(t, faults)
	require.Positive(t, told)
	slices.Sort(took)
	t.Logf("%d requests of %d clients: p50 %v, p99 %v, longest %v", len(took), clients, took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
	stored := 0
	for user := range tokens {
		stats, err := w.ext.Stats(t.Context(), extension.Scope{User: user})
		require.NoError(t, err)
		stored += int(stats.Memories["episode"])
	}
	require.Equal(t, 2+clients*((each+3)/4), stored)
}
