package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A release that a question names is a moment: what was before it comes first,
// however much more of the question later texts hold.
func TestBeforeAndAfterARelease(t *testing.T) {
	h := newHost(t, openDB(t), schema.Scope{User: "team"}, "recall_search")
	const day = 24 * time.Hour
	h.says("Bridge 1.2.9: a hotfix for slow hinges.", 9*day)
	h.says("Bridge 1.3.0 is tagged, 1.3.0 for all.", 6*day)
	h.says("Somebody asks what bridge fix was tagged before 1.3.0 or 1.3.1.", 3*day)
	h.says("Bridge fix 1.3.1 is tagged: which bridge fix was tagged?", 2*day)
	h.store(&schema.Memory{
		Kind: schema.KindEpisode, Role: "user", Content: "1.3.0, 1.3.0, 1.3.0!", EventTime: schema.At(noon.Add(-20 * day)),
		Origin: schema.OriginToolExternal, Trust: 1, Confidence: 1, State: schema.StateQuarantined,
	}) // it sets no moment
	first := func(question string) string {
		h.shown = nil
		h.call("recall_search", `{"query": "`+question+`", "limit": 2}`)
		var all []string
		for _, r := range h.shown {
			all = append(all, r.Memory.Content)
		}
		return strings.Join(all, " | ")
	}
	require.Contains(t, first("Which bridge hinges fix was tagged before version 1.3.0?"), "Bridge 1.2.9: a hotfix")
	require.NotContains(t, first("Which bridge hinges fix was tagged before version 1.3.0?"), "1.3.1")
	require.NotContains(t, first("Which bridge hotfix was tagged after 1.3.1?"), "1.2.9")
	require.Contains(t, first("Which bridge hotfix was tagged after 9.9.9?"), "1.2.9", "nothing speaks of it")
	require.Contains(t, first("Which bridge hotfix was tagged since 1.3 or so?"), "1.2.9", "1.3 is not 1.3.0")
}

// What a role did comes first where a question asks for it, on half of the
// places: others may tell of it.
func TestRoleInQuestion(t *testing.T) {
	h := newHost(t, openDB(t), schema.Scope{User: "team"}, "recall_search")
	said := func(agent, text string) {
		h.store(&schema.Memory{
			Kind: schema.KindEpisode, Role: "assistant", Agent: agent, Content: text, EventTime: schema.At(noon.Add(-time.Hour)),
			Origin: schema.OriginUser, Trust: schema.MaxTrust, Confidence: 1,
		})
	}
	said("ops", "Found a fault of the kettle candidate, found the next.")
	said("design", "The kettle candidate has a fault, found at last.")
	said("growth", "Readers found a fault of the kettle candidate.")
	said("qa", "The kettle whistles twice.")
	said("qa", "The lid is blue.")
	first := func(arguments string) (agents []string) {
		h.shown = nil
		h.call("recall_search", arguments)
		for _, r := range h.shown {
			require.Equal(t, len(agents)+1, r.Rank)
			agents = append(agents, r.Memory.Agent)
		}
		return agents
	}
	asked := first(`{"query": "What fault of the kettle candidate did QA find?", "limit": 3}`)
	require.Len(t, asked, 3)
	require.Equal(t, "qa", asked[0])
	require.NotContains(t, asked[1:], "qa", "the lid is nothing of that")
	require.NotContains(t, first(`{"query": "What fault of the kettle candidate did we find?", "limit": 3}`), "qa")
	require.NotContains(t, first(`{"query": "What fault of the kettle candidate did QA find?", "role": "ops", "limit": 3}`), "qa", "the caller has said whose")
}
