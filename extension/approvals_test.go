package extension_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

func callTool(t *testing.T, s *extension.Session, name, input string) string {
	t.Helper()
	for _, tool := range s.Tools() {
		if tool.Name() == name {
			answer, err := tool.Call(t.Context(), input)
			require.NoError(t, err)
			return answer
		}
	}
	t.Fatalf("no tool %s", name)
	return ""
}

// onlyFact is the one current fact that a question finds.
func onlyFact(t *testing.T, x *extension.Extension, question string) extension.Record {
	t.Helper()
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: question, Kinds: []extension.Kind{extension.KindFact, extension.KindPreference}})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1)
	return answer.Results[0].Memory
}

func TestApproveProtects(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I am allergic to cashews")))
	callTool(t, s, "remember_fact", "Ada is allergic to cashews")
	fact := onlyFact(t, x, "cashews allergic")
	callTool(t, s, "confirm_fact", fact.UID)
	require.False(t, onlyFact(t, x, "cashews allergic").Protected, "asking protects nothing")

	stranger := extension.Scope{User: "bob"}
	none, err := x.Proposals(t.Context(), stranger)
	require.NoError(t, err)
	require.Empty(t, none)
	waiting, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, fact.Content, waiting[0].Content)
	require.Equal(t, fact.UID, waiting[0].MemoryID)
	require.Equal(t, extension.ProposalProtect, waiting[0].Kind)
	stats, err := x.Stats(t.Context(), ada)
	require.NoError(t, err)
	require.EqualValues(t, 1, stats.Proposals)

	var invalid *extension.InvalidError
	require.ErrorAs(t, x.Keep(t.Context(), ada, waiting[0].ID, fact.UID), &invalid, "it is no contradiction")
	require.ErrorIs(t, x.Approve(t.Context(), stranger, waiting[0].ID), extension.ErrNotFound)
	require.NoError(t, x.Approve(t.Context(), ada, waiting[0].ID))
	require.True(t, onlyFact(t, x, "cashews allergic").Protected)
	require.ErrorIs(t, x.Approve(t.Context(), ada, waiting[0].ID), extension.ErrNotFound, "it is decided once")
}

func TestRejectDoesNotProtect(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	callTool(t, s, "remember_fact", "Ada has a cat called Commodore")
	callTool(t, s, "confirm_fact", onlyFact(t, x, "cat Commodore").UID)
	waiting, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.NoError(t, x.Reject(t.Context(), ada, waiting[0].ID))
	require.ErrorIs(t, x.Approve(t.Context(), ada, waiting[0].ID), extension.ErrNotFound)
	require.False(t, onlyFact(t, x, "cat Commodore").Protected)
}

func TestUngroundedCorrectionIsProposed(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I live in Lisbon")))
	callTool(t, s, "remember_fact", "Ada lives in Lisbon")
	fact := onlyFact(t, x, "where does Ada live")
	for range 2 {
		callTool(t, s, "correct_fact", `{"memory_id":"`+fact.UID+`","new_content":"Ada lives in Oslo"}`)
	}
	require.Equal(t, "Ada lives in Lisbon", onlyFact(t, x, "where does Ada live").Content, "a model's word alone changes nothing")

	proposals, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, proposals, 1)
	require.Equal(t, "Ada lives in Oslo", proposals[0].NewContent)
	require.ErrorIs(t, x.Approve(t.Context(), extension.Scope{User: "bob"}, proposals[0].ID), extension.ErrNotFound)
	require.NoError(t, x.Approve(t.Context(), ada, proposals[0].ID))
	require.Equal(t, "Ada lives in Oslo", onlyFact(t, x, "where does Ada live").Content)
	require.NoError(t, x.WaitIdle(t.Context()))
	current := onlyFact(t, x, "where does Ada live")
	require.Equal(t, "Ada lives in Oslo", current.Content)
	require.Equal(t, fact.Trust, current.Trust)
	require.ErrorIs(t, x.Reject(t.Context(), ada, proposals[0].ID), extension.ErrNotFound, "it is settled")
}

func TestReject(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I live in Lisbon")))
	callTool(t, s, "remember_fact", "Ada lives in Lisbon")
	callTool(t, s, "correct_fact", `{"memory_id":"`+onlyFact(t, x, "live").UID+`","new_content":"Ada lives in Oslo"}`)
	proposals, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.NoError(t, x.Reject(t.Context(), ada, proposals[0].ID))
	require.Equal(t, "Ada lives in Lisbon", onlyFact(t, x, "live").Content)
	waiting, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Empty(t, waiting)
}

// A correction of what was forgotten since is not shown, and cannot be approved.
func TestProposalsOfForgotten(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I live in Lisbon")))
	callTool(t, s, "remember_fact", "Ada lives in Lisbon")
	callTool(t, s, "correct_fact", `{"memory_id":"`+onlyFact(t, x, "live").UID+`","new_content":"Ada lives in Oslo"}`)
	waiting, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	_, err = x.Forget(t.Context(), ada, waiting[0].MemoryID)
	require.NoError(t, err)
	after, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Empty(t, after)
	require.ErrorIs(t, x.Approve(t.Context(), ada, waiting[0].ID), extension.ErrConflict)
}
