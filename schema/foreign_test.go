package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/schema"
)

type telling struct{ error }

func (telling) Plain() string { return "quota reached" }

func TestForeignErrorKinds(t *testing.T) {
	const text = "Noor's secret"
	deadline, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for want, err := range map[string]error{
		"an error without a type":            errors.New(text),
		"status 429":                         fmt.Errorf("API returned unexpected status code: 429: %s", text),
		"status 503":                         errors.New("503"),
		"connection refused":                 fmt.Errorf("%s: %w", text, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}),
		"timed out":                          fmt.Errorf("%s: %w", text, deadline.Err()),
		"not found":                          fmt.Errorf("%s: %w", text, schema.ErrNotFound),
		"text is not valid":                  fmt.Errorf("%w", &schema.InvalidError{Field: "text", Reason: "is " + text}),
		"the host's name was not found":      &net.DNSError{Name: text},
		"quota reached":                      fmt.Errorf("%w: %s", telling{errors.New(text)}, text),
		"*json.UnsupportedTypeError":         &json.UnsupportedTypeError{Type: reflect.TypeFor[func()]()},
		"the redaction hook failed; nothing": schema.NewRedactionError(errors.New(text)),
	} {
		foreign := schema.Foreign("the client", err)
		assert.Contains(t, foreign.Error(), want)
		assert.NotContains(t, foreign.Error(), "Noor")
		assert.ErrorIs(t, foreign, err, "a host can look closer")
		assert.Same(t, foreign, schema.Foreign("the stage", foreign), "once is enough")
	}
	require.NoError(t, schema.Foreign("the client", nil))
	require.Equal(t, context.Canceled, schema.Foreign("the client", context.Canceled))
	assert.NotContains(t, schema.ForeignPanic("the client", text).Error(), "Noor")
	func() {
		defer func() {
			assert.ErrorContains(t, schema.ForeignPanic("the client", recover()), "index out of range [3]")
		}()
		_ = strings.Split(text, " ")[3]
	}()
}

func TestJSONFaultsQuoteNothing(t *testing.T) {
	for given, want := range map[string]string{
		`{"text": 4111111111111111}`: "text is a JSON number where a string belongs",
		`{"text": ["x"]}`:            "text is a JSON array where a string belongs",
		`[]`:                         "is a JSON array where an object belongs",
		`{"text": zanzibar}`:         "breaks the syntax of JSON at byte 10",
		`{"text": "x`:                "breaks the syntax of JSON at byte 11",
	} {
		var m struct {
			Text string `json:"text"`
		}
		assert.Equal(t, want, strictjson.Fault(json.Unmarshal([]byte(given), &m)), given)
	}
}
