package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

func TestBadBodyNamesField(t *testing.T) {
	for body, field := range map[string]string{
		`{"messages":[]}`:           "messages",
		`{"question":7}`:            "question",
		`{"question":{"text":"x"}}`: "question",
		`[]`:                        "body",
		`{"question":"x"} {}`:       "body",
		`{"question":`:              "body",
		``:                          "body",
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/context", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		var v struct {
			Question string `json:"question"`
		}
		var invalid *extension.InvalidError
		require.ErrorAs(t, readBody(r, &v), &invalid, body)
		require.Equal(t, field, invalid.Field, body)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/turns", strings.NewReader(`{"words":1}`))
	r.Header.Set("Content-Type", "application/json")
	require.ErrorContains(t, readBody(r, &struct {
		Session string `json:"session,omitempty"`
		Turns   []struct {
			Role string `json:"role"`
		} `json:"turns"`
	}{}), "the body has session, turns (each with role)")
	r = httptest.NewRequest(http.MethodPost, "/v1/context", strings.NewReader(`{"`+strings.Repeat("x", 1000)+`":1}`))
	r.Header.Set("Content-Type", "application/json")
	require.Less(t, len(readBody(r, new(struct{})).Error()), 300)
}

// A fault of the memory is not a client's mistake, and a running night not a changed record.
func TestFaultsAreNotTheClients(t *testing.T) {
	w := newWorld(t, Options{})
	w.ask(200, w.adaClient, "POST", "/v1/facts", dict{"content": "Ada keeps bees."})
	db := w.ext.Parts().DB
	_, err := db.AcquireLease(t.Context(), "night", "one", time.Minute)
	require.NoError(t, err)
	_, err = db.AcquireLease(t.Context(), "night", "another", time.Minute)
	require.ErrorIs(t, err, extension.ErrConflict)
	answered := httptest.NewRecorder()
	w.server.errorOf(answered, err)
	require.Equal(t, http.StatusConflict, answered.Code)
	require.Contains(t, answered.Body.String(), "is running")
	answered = httptest.NewRecorder()
	w.server.errorOf(answered, fmt.Errorf("store it: %w", extension.ErrReadOnly))
	require.Equal(t, http.StatusForbidden, answered.Code)
	require.Contains(t, answered.Body.String(), "read_only")
	require.NoError(t, w.ext.Close(t.Context()))
	require.Equal(t, "unavailable", w.ask(503, w.adaClient, "POST", "/v1/facts", dict{"content": "Ada keeps hens."})["error"].(dict)["code"])
}
