package plugin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// Two names that differ in a byte are two people; one name is always the same.
func TestNamesAreDistinct(t *testing.T) {
	names := []string{
		"ada", "Ada", "ADA", " ada", "ada ", "ada\t", "ada\n", "a\u200bda", "ad\u0430", "ａｄａ", // Cyrillic a, full width
		"J\u00f6rg", "Jo\u0308rg", "\u212b", "\u00c5", "A\u030a", "\u0130", "\u0131", "i", "I", "\u00df", "ss", "\ufb01", "fi", // composed and not, folding
		"ada\u202ebob", "ada|bob", "ada/bob", "ada\\bob", "../ada", "ada'--", "ada\"", "%", "_", "*", "ada%00", "0", "null", "NULL", "-1",
		strings.Repeat("x", 512), strings.Repeat("x", 511) + "y", strings.Repeat("\u00e9", 256),
		"memory.db", "acme", "\ufffd",
	}
	refused := []string{"", " ", "\u3000", "ada\x00", "\x00", "ada\x00bob", "\xff", "ada\xc3", strings.Repeat("x", 513)}

	w := newWorld(t, func(c *extension.Config) { c.Embedding, c.NoClaims = extension.EmbeddingConfig{}, true })
	defer func() { w.close() }()
	var scopes []extension.Scope
	for _, name := range names {
		scopes = append(scopes, extension.Scope{User: name}, extension.Scope{Tenant: name, User: "ada of a tenant"})
	}
	// What could run together: tenant and user are kept apart.
	scopes = append(scopes, extension.Scope{Tenant: "a", User: "bc"}, extension.Scope{Tenant: "ab", User: "c"}, extension.Scope{User: "abc"},
		extension.Scope{Tenant: "acme", User: "ada"}, extension.Scope{Tenant: "ada", User: "acme"})
	for i, scope := range scopes {
		require.NoError(t, w.x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, fmt.Sprintf("the secret is number %d", i))), "%q", scope)
	}
	for range 2 {
		for i, scope := range scopes {
			records, err := w.x.Timeline(t.Context(), scope, extension.TimelineQuery{})
			require.NoError(t, err)
			require.Len(t, records, 1, "%q", scope)
			require.Equal(t, fmt.Sprintf("the secret is number %d", i), records[0].Content)
			answer, err := w.x.Recall(t.Context(), scope, extension.Query{Text: "secret"})
			require.NoError(t, err)
			require.Len(t, answer.Results, 1, "%q", scope)
			require.Equal(t, records[0].Content, answer.Results[0].Memory.Content)
		}
		w.close()
		w.open()
	}
	for _, name := range refused {
		var invalid *extension.InvalidError
		require.ErrorAs(t, w.x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: name}, "x")), &invalid, "%q", name)
		_, err := w.x.Session(extension.Scope{User: name})
		require.ErrorAs(t, err, &invalid, "%q", name)
		require.Equal(t, "Scope.User", invalid.Field)
	}
	users, err := w.x.Users(t.Context())
	require.NoError(t, err)
	require.Len(t, users, len(scopes))
}
