package erase_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// recalled is a record that memories were shown.
func recalled(ctx context.Context, tx *schema.Tx, userID int64, query, uid string) (seq int64, err error) {
	e := &schema.EventRow{UserID: userID, Topic: "memory.recalled", Origin: schema.OriginToolInternal,
		Payload: []byte(schema.JSONObject("channel", "memory", "query", query, "items", []any{map[string]any{"id": uid, "rank": 1, "score": .5}}))}
	err = tx.AppendEvents(ctx, &schema.NewEvent{Row: e})
	return e.Seq, err
}

// The names of fields and the values that ebb gives them are no words of a message.
func TestEraseKeepsRecordsOfOtherMemories(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	gone, err := memtest.Say(t.Context(), db, ada, "Which items, which channel, which version? The night said: superseded, state by state. Zorblatina!")
	require.NoError(t, err)
	stays, err := memtest.Say(t.Context(), db, ada, "The kettle is green")
	require.NoError(t, err)
	by := schema.Actor{Name: "night"}
	var other, named, asked int64
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		other, err = recalled(ctx, tx, userID, "what colour?", stays.UID)
		require.NoError(t, err)
		named, err = recalled(ctx, tx, userID, "what colour?", gone.UID)
		require.NoError(t, err)
		asked, err = recalled(ctx, tx, userID, "who is Zorblatina?", stays.UID)
		require.NoError(t, err)
		for _, op := range [][2]string{
			{`{"state":"active","version":1}`, `{"state":"superseded","version":2}`},
			{`{"attributes":"{\"temporal\":\"state\",\"said\":\"claim\"}"}`, `{"attributes":"{\"temporal\":\"state\"}"}`},
			{`{"attributes":"{}"}`, `{"attributes":"{\"place\":\"Zorblatina\"}"}`},
			{``, `{"summary":"a friend of Zorblatina's"}`},
			{``, `{"source":"` + gone.UID + `"}`},
		} {
			if err := tx.AuditRow(ctx, userID, by, "revise", "memories", stays.ID, op[0], op[1]); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO runs (uid, user_id, cause, state, started_at, stages) VALUES ('r1', ?, 'night', 'done', 5,
			'[{"name":"said","outcomes":[{"kind":"state","status":"applied","reason":"green"},{"kind":"state","status":"applied","reason":"as Zorblatina says"}]}]')`, userID)
		return err
	})
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{gone.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		left, err := schema.Column[int64](ctx, s.Query, "SELECT seq FROM events WHERE user_id = ? AND topic = 'memory.recalled'", user)
		require.NoError(t, err)
		require.Contains(t, left, other)
		require.NotContains(t, left, named)
		require.NotContains(t, left, asked)
		ops, err := schema.Column[string](ctx, s.Query, "SELECT after FROM ops WHERE user_id = ? AND operation = 'revise' ORDER BY id", user)
		require.NoError(t, err)
		require.Equal(t, []string{`{"state":"superseded","version":2}`, `{"attributes":"{\"temporal\":\"state\"}"}`, "", "", ""}, ops)
		var stages string
		require.NoError(t, s.Row(ctx, "SELECT stages FROM runs WHERE user_id = ?", []any{user}, &stages))
		require.JSONEq(t, `[{"name":"said","outcomes":[{"kind":"state","status":"applied","reason":"green"},{"kind":"state","status":"applied","reason":"(erased)"}]}]`, stages)
		return nil
	})
}

// A label that other memories have too, such as a project's name, is not only the erased
// message's.
func TestEraseKeepsRecordsWithSharedLabels(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	by := schema.Actor{Name: "host"}
	var gone *schema.Memory
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		for _, place := range []string{"Quayside", "Quayside", "Wibblethorn"} {
			m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Content: "The kettle is green", Confidence: 1, Origin: schema.OriginUser, Trust: 4,
				Attributes: schema.Attributes{"place": place}}
			if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, "")); err != nil {
				return err
			}
			gone = m
			if err := tx.AuditRow(ctx, userID, by, "revise", "sessions", 1, "", schema.JSONObject("summary", "seen at "+place)); err != nil {
				return err
			}
		}
		return nil
	})
	first, err := schema.Get(t.Context(), db, func(ctx context.Context, s *schema.Snapshot) ([]string, error) {
		return schema.Column[string](ctx, s.Query, "SELECT uid FROM memories WHERE user_id = ? ORDER BY id LIMIT 1", user)
	})
	require.NoError(t, err)
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: append(first, gone.UID)}, by)
	require.NoError(t, err)
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		ops, err := schema.Column[string](ctx, s.Query, "SELECT after FROM ops WHERE user_id = ? AND operation = 'revise' ORDER BY id", user)
		require.Equal(t, []string{`{"summary":"seen at Quayside"}`, `{"summary":"seen at Quayside"}`, ""}, ops)
		return err
	})
}

// What a model saved of a message without naming it as the source goes with it, unless
// another message says it too or the host protects it. What was stated by itself stays.
func TestEraseOfMessagesJudgesClaimsWithoutSource(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	gone, err := memtest.Say(t.Context(), db, ada, "Our boat is the Snarfiquest, moored beside the dentist")
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "Boats are expensive")
	require.NoError(t, err)
	facts := make(map[string]*schema.Memory)
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		for content, origin := range map[string]schema.Origin{
			"Snarfiquest is the name of it": schema.OriginAssistant,
			"They sail the Snarfiquest":     schema.OriginAssistant,
			"The user owns a boat":          schema.OriginAssistant,
			"Nothing moored may be sold":    schema.OriginAssistant,
			"My dentist is Dr Brandt":       schema.OriginUser,
		} {
			m := &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: content, Confidence: .8, Origin: origin, Trust: 3, Subject: "the user",
				Attributes: schema.Attributes{schema.AttrTemporal: "state"}}
			if err := tx.AddDerived(ctx, m, schema.PrepareChunks(content, ""), nil, schema.Actor{Name: "model"}); err != nil {
				return err
			}
			facts[content] = m
		}
		return tx.Protect(ctx, facts["Nothing moored may be sold"], schema.Actor{Name: "host"})
	})
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{gone.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	left := func() (left []string) {
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			left, err = schema.Column[string](ctx, s.Query, "SELECT content FROM memories WHERE user_id = ? AND kind = 'fact'", user)
			return err
		})
		return left
	}
	require.ElementsMatch(t, []string{"The user owns a boat", "Nothing moored may be sold", "My dentist is Dr Brandt"}, left())

	// Claims that share words with an erased claim alone stay.
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{facts["My dentist is Dr Brandt"].UID, facts["Nothing moored may be sold"].UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	require.Equal(t, []string{"The user owns a boat"}, left())
}

// The record of a file goes with its last part, the name of a conversation with its last
// message.
func TestEraseOfLastPartErasesDocumentAndConversation(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	message, err := memtest.Say(t.Context(), db, ada, "The harbour is grey")
	require.NoError(t, err)
	other := ada
	other.Session = "kept"
	_, err = memtest.Say(t.Context(), db, other, "The kettle is green")
	require.NoError(t, err)
	var parts []string
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		for _, uri := range []string{"notes/divorce.md", "notes/divorce.md", "notes/tea.md"} {
			m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Content: "Tell the lawyer", Confidence: 1, Origin: schema.OriginImport, Trust: 1,
				Attributes: schema.Attributes{schema.AttrTool: schema.DocumentTool, schema.AttrSource: uri}}
			if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, "")); err != nil {
				return err
			}
			parts = append(parts, m.UID)
			if err := tx.PutDocument(ctx, userID, uri, "hash"); err != nil {
				return err
			}
		}
		return nil
	})
	after := func(uids ...string) (documents, sessions []string) {
		_, err := erase.Run(t.Context(), db, ada, erase.Erasure{Memories: uids}, schema.Actor{Name: "host"})
		require.NoError(t, err)
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			documents, err = schema.Column[string](ctx, s.Query, "SELECT uri FROM documents WHERE user_id = ? ORDER BY uri", user)
			require.NoError(t, err)
			sessions, err = schema.Column[string](ctx, s.Query, "SELECT name FROM sessions WHERE user_id = ? ORDER BY name", user)
			return err
		})
		return documents, sessions
	}
	documents, sessions := after(parts[0])
	require.Equal(t, []string{"notes/divorce.md", "notes/tea.md"}, documents)
	require.Equal(t, []string{"kept", "s1"}, sessions)
	documents, sessions = after(parts[1], message.UID)
	require.Equal(t, []string{"notes/tea.md"}, documents)
	require.Equal(t, []string{"kept"}, sessions)
}

// The times, names and reasons in a proposal that are ebb's or the host's are no words of a
// message; what a model words is, and so is the name of a conversation that is gone.
func TestEraseKeepsProposalsOfOtherMemories(t *testing.T) {
	offer := func(session string) string {
		return schema.JSONObject("agent", "scout", "session", session, "at", time.Date(2026, 11, 30, 7, 52, 6, 0, time.UTC), "content", "The kettle is green")
	}
	for _, of := range []struct {
		said, kind, payload, reason string
		stays                       bool
	}{
		{"In 2026 I will marry", "memory", offer("s1"), "", true},
		{"We were 11 at lunch", "memory", offer("s1"), "", true},
		{"The divorce is near", "memory", offer("divorce"), "", false},
		{"The tea is near", "memory", offer("tea"), "", true},
		{"I asked the estate agent about a flat", "correct", schema.JSONObject("content", "It is green"), "the agent asked for it; the user did not say it in that conversation", true},
		{"Zorblatina sings", "contradiction", schema.JSONObject("earlier", "1"), "as Zorblatina says", false},
		{"My health is poor", "block", schema.JSONObject("block", "health", "owner", "poor", "kind", "text", "content", "", "new_content", "green"), "", true},
		{"My health is poor", "block", schema.JSONObject("block", "human", "kind", "text", "content", "", "new_content", "health"), "", false},
	} {
		now := day(time.May, 1)
		db := openAt(t, &now)
		gone, err := memtest.Say(t.Context(), db, ada, of.said)
		require.NoError(t, err)
		for _, session := range []string{"s1", "tea"} {
			_, err := memtest.Say(t.Context(), db, schema.Scope{Tenant: ada.Tenant, User: ada.User, Session: session}, "The kettle is green")
			require.NoError(t, err)
		}
		user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
			_, err := tx.AddProposal(ctx, userID, of.kind, of.payload, of.reason, schema.Actor{Name: "model"})
			return err
		})
		_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{gone.UID}}, schema.Actor{Name: "host"})
		require.NoError(t, err)
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			var left bool
			err := s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM proposals WHERE user_id = ?)", []any{user}, &left)
			require.Equal(t, of.stays, left, "%s: %s", of.said, of.payload)
			return err
		})
	}
}
