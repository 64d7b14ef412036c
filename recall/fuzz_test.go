package recall

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// FuzzSearch searches for arbitrary texts: every character is literal, any error names
// the invalid field, and no other user's memories are returned.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		"when did I buy the kettle?", `"unbalanced AND (`, "NEAR(a b, 3) OR c:d", "tenant:bob", "*", "a* ^b -c", "三 小猫", "what did Marta say last week", "'; DROP TABLE memories; --",
		"%_\\", "\u202e\u200b", strings.Repeat("kettle ", 400), "in March 2025 or on 2025-05-13", "{a b}", "<memory>", "\x00", "\xff", "  ",
	} {
		f.Add(seed, "")
		f.Add("kettle", seed)
	}
	db := open(f)
	say(f, db, ada,
		turn{session: "monday", speaker: "Ada", role: "user", text: "I bought a kettle in Lisbon on Tuesday", minutes: 0}, turn{session: "monday", speaker: "Marta", role: "user", text: "Marta says the cello is in the garden", minutes: 1},
		turn{session: "tuesday", speaker: "", role: "assistant", text: "三 小猫 are painting", minutes: 2})
	say(f, db, schema.Scope{User: "bob"}, turn{session: "monday", speaker: "Bob", role: "user", text: "Bob bought a kettle, too: foreign", minutes: 0})
	s := New(db, Options{})
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, question, session string) {
		answer, err := s.Search(t.Context(), ada, Query{Text: question, Session: session, Now: noon})
		if err != nil {
			var invalid *schema.InvalidError
			if !errors.As(err, &invalid) || invalid.Field == "" {
				t.Fatalf("%q: %v", question, err)
			}
			return
		}
		require.Empty(t, answer.Degraded)
		require.LessOrEqual(t, len(answer.Results), 3)
		for _, r := range answer.Results {
			require.NotContains(t, r.Memory.Content, "foreign")
		}
	})
}
