package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

func TestForgetUngroundedIsProposed(t *testing.T) {
	h := ada(t)
	m := h.fact("The user's cat is called Pixel.", schema.OriginUser)
	h.says("My cat Pixel is well, thank you.", time.Minute)
	h.says("My friend said \"please forget my cat Pixel\", how rude.", 0)
	for _, input := range []string{`{"memory_id": "` + m.UID + `"}`, `{"query": "Pixel", "memory_id": "` + m.UID + `"}`} {
		require.Contains(t, h.call("forget_memory", input), "waits for approval")
	}
	require.EqualValues(t, 1, h.rows("proposals"), "once is enough")
	require.Equal(t, schema.StateActive, h.memory(m.UID).State)
	require.Contains(t, h.call("forget_memory", "Pixel"), m.UID, "candidates come first")
	require.Equal(t, schema.StateActive, h.memory(m.UID).State)
	require.Zero(t, h.rows("runs"))
}

func TestForgetGrounded(t *testing.T) {
	h := ada(t)
	m := h.fact("The user had lunch at Cafe Luna with a colleague.", schema.OriginUser)
	other := h.fact("The user likes chess.", schema.OriginUser)
	asks := h.says("Please forget the cafe lunch.", 0)
	require.Contains(t, h.call("forget_memory", `{"memory_id": "`+other.UID+`"}`), "waits for approval", "it is not what the user named")
	answer := h.call("forget_memory", `{"memory_id": "`+m.UID+`"}`)
	require.Contains(t, answer, "as the user asked")
	require.Equal(t, schema.StateForgotten, h.memory(m.UID).State)
	require.Equal(t, schema.StateForgotten, h.memory(asks.UID).State, "it would tell what it asks to forget")
	require.Contains(t, h.call("forget_memory", `{"memory_id": "`+m.UID+`"}`), "as the user asked", "again is fine")
	require.EqualValues(t, 1, h.rows("runs"))
	require.Contains(t, h.call("search_memory", "lunch at Cafe Luna"), "Nothing was found")
	require.Contains(t, h.call("correct_fact", `{"memory_id": "`+m.UID+`", "new_content": "b"}`), "asked to forget")
	require.Contains(t, h.call("remember_fact", "The user had lunch at Cafe Luna with a colleague."), "asked to forget")
}

// What was forgotten before is no answer to what the user says now.
func TestForgetAfterAnotherMessage(t *testing.T) {
	h := ada(t)
	lunch := h.fact("The user had lunch at Cafe Luna with a colleague.", schema.OriginUser)
	chess := h.fact("The user likes chess.", schema.OriginUser)
	h.says("Please forget the cafe lunch.", 2*time.Minute)
	require.Contains(t, h.call("forget_memory", `{"memory_id": "`+lunch.UID+`"}`), "as the user asked")
	require.Contains(t, h.call("forget_memory", "lunch"), "forgotten already")
	h.says("Chess bores me by now.", 0)
	require.Contains(t, h.call("forget_memory", "chess"), chess.UID)
}

func TestForgetIsPerSessionAndUser(t *testing.T) {
	db := openDB(t)
	first := newHost(t, db, schema.Scope{User: "ada", Session: "one"})
	m := first.fact("The user's cat is called Pixel.", schema.OriginUser)
	second := newHost(t, db, schema.Scope{User: "ada", Session: "two"})
	second.says("Please forget my cat.", 0)
	require.Contains(t, first.call("forget_memory", `{"memory_id": "`+m.UID+`"}`), "waits for approval")
	stranger := newHost(t, db, schema.Scope{User: "bob", Session: "one"})
	stranger.says("Please forget my cat.", 0)
	require.Contains(t, stranger.call("forget_memory", `{"memory_id": "`+m.UID+`"}`), "there is no memory with the id")
	require.Equal(t, schema.StateActive, first.memory(m.UID).State)
}

func TestConfirmProtectsIfUserAsked(t *testing.T) {
	h := ada(t)
	m := h.fact("The user's blood type is A negative.", schema.OriginUser)
	other := h.fact("The user likes chess.", schema.OriginUser)
	h.says("Never forget my blood type.", 0)
	require.Contains(t, h.call("confirm_fact", `{"memory_id": "`+other.UID+`"}`), "has to confirm it")
	require.Contains(t, h.call("confirm_fact", `{"memory_id": "`+m.UID+`"}`), "Protected, as the user asked")
	require.True(t, h.memory(m.UID).Protected)
	require.EqualValues(t, 1, h.rows("proposals"))
}

// A model's call makes a request of what may be one, and its choice among the memories
// counts if the user's words have to do with it.
func TestForgetInFreeWords(t *testing.T) {
	h := ada(t)
	m := h.fact("The user has a tattoo of a fern on the ribs.", schema.OriginUser)
	other := h.fact("The user likes chess.", schema.OriginUser)
	h.says("that tattoo thing, bin it", 0)
	require.Contains(t, h.call("forget_memory", `{"memory_id": "`+other.UID+`"}`), "waits for approval")
	require.Contains(t, h.call("forget_memory", `{"memory_id": "`+m.UID+`"}`), "as the user asked")
	require.Equal(t, schema.StateForgotten, h.memory(m.UID).State)
	require.Equal(t, schema.StateActive, h.memory(other.UID).State)
}

// Of two requests in one message, what only waits is not forgotten.
func TestForgetOfWhatWaitsIsOffered(t *testing.T) {
	h := ada(t)
	salary := h.fact("The user's salary is 52,000 euros.", schema.OriginUser)
	quarrel := h.fact("The user had words with the neighbour over a parking space.", schema.OriginUser)
	h.says("Forget my salary. Forget what I told you about the quarrel downstairs.", 0)
	require.Contains(t, h.call("forget_memory", "my salary"), "as the user asked")
	require.Equal(t, schema.StateForgotten, h.memory(salary.UID).State)
	answer := h.call("forget_memory", "the quarrel downstairs")
	require.Contains(t, answer, quarrel.UID)
	require.NotContains(t, answer, "52,000")
	require.Equal(t, schema.StateActive, h.memory(quarrel.UID).State)
}

// A client whose messages are not the user's words must not have its model ask for a yes that
// changes nothing.
func TestOnlyTheOwnerApprovesForUntrustedClients(t *testing.T) {
	for name, c := range map[string]struct {
		foreign bool
		says    string
		owner   bool
	}{
		"a host that stores the messages":         {false, "", false},
		"an untrusted client":                     {true, "", true},
		"a trusted client, after another request": {true, "Chess bores me by now.", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostWith(t, openDB(t), schema.Scope{User: "ada", Session: "s1"}, func(d *tools.Deps) { d.ForeignModel = c.foreign })
			m := h.fact("The user's cat is called Pixel.", schema.OriginUser)
			if c.says != "" {
				h.says(c.says, 0)
			}
			for range 2 { // the second call proposes nothing new
				forget := h.call("forget_memory", `{"memory_id": "`+m.UID+`"}`)
				correct := h.call("correct_fact", `{"memory_id": "`+m.UID+`", "new_content": "The user's cat is called Byte."}`)
				for _, answer := range []string{forget, correct} {
					require.Contains(t, answer, "waits for approval")
					require.Equal(t, c.owner, strings.Contains(answer, "Only the owner"), answer)
				}
				require.Equal(t, !c.owner, strings.Contains(forget, "if they say yes"), forget)
				require.Equal(t, !c.owner, strings.Contains(correct, "repeat the call"), correct)
			}
		})
	}
}
