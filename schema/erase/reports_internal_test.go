package erase

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// Erasing finds the reports of messages that were published together without
// going through the journal.
func TestReportsOfMessagesPublishedTogetherAreFound(t *testing.T) {
	db := memtest.Open(t)
	owner := schema.Scope{User: "ada"}
	var found, want []int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, owner)
		if err != nil {
			return err
		}
		var seqs []int64
		var uids []string
		for range 2 {
			var messages, reports []*schema.NewEvent
			for i := range schema.RowsAtOnce {
				id := fmt.Sprint("m", len(uids))
				uids = append(uids, id)
				row := schema.EventRow{UserID: user, ID: id, Topic: "user.message", Origin: schema.OriginUser, Payload: json.RawMessage("{}"), Trust: schema.Trust(i % 2)}
				messages = append(messages, &schema.NewEvent{Owner: owner, Row: &row})
				report := schema.EventRow{UserID: user, Topic: "memory.stored", Origin: schema.OriginUser, Payload: json.RawMessage(`{"id":"` + id + `"}`)}
				reports = append(reports, &schema.NewEvent{Owner: owner, Row: &report})
			}
			if err := tx.AppendEvents(ctx, slices.Concat(messages, reports)...); err != nil {
				return err
			}
			for i := range messages {
				seqs, want = append(seqs, messages[i].Row.Seq), append(want, reports[i].Row.Seq)
			}
		}
		rows, err := tx.Query(ctx, reportsAfter, schema.JSONList(seqs), user, schema.JSONList(uids))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var seq int64
			var uid string
			if err := rows.Scan(&seq, &uid); err != nil {
				return err
			}
			found = append(found, seq)
		}
		return rows.Err()
	}))
	require.ElementsMatch(t, want, found)
}

// Two reports of one memory do not count as that of another, which may be anywhere
// in the journal.
func TestReportsElsewhereInTheJournalAreFound(t *testing.T) {
	db := memtest.Open(t)
	var found, want []int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, schema.Scope{User: "ada"})
		if err != nil {
			return err
		}
		journal := func(topic, of string) (int64, error) {
			e := &schema.EventRow{UserID: user, Topic: topic, Origin: schema.OriginUser, Payload: json.RawMessage(`{"id":"` + of + `"}`)}
			err := tx.AppendEvents(ctx, &schema.NewEvent{Row: e})
			return e.Seq, err
		}
		message, err := journal("user.message", "")
		if err != nil {
			return err
		}
		want = nil
		for _, of := range strings.Fields("message message" + strings.Repeat(" other", 2*schema.RowsAtOnce) + " claim") {
			seq, err := journal("memory.stored", of)
			if err != nil {
				return err
			}
			if of != "other" {
				want = append(want, seq)
			}
		}
		b := newBatch(&eraser{tx: tx, userID: user})
		b.order = []int64{1, 2}
		b.targets[1], b.targets[2] = &target{uid: "message"}, &target{uid: "claim"}
		found, err = b.reports(ctx, []int64{message})
		return err
	}))
	require.ElementsMatch(t, want, found)
}

func TestReportsOfMessagesAreLookedUpByPosition(t *testing.T) {
	pgtest.FileOnly(t, "query plans of SQLite")
	db := memtest.Open(t)
	var plan []string
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		rows, err := tx.Query(ctx, "EXPLAIN QUERY PLAN "+reportsAfter, "[]", 1, "[]")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				return err
			}
			plan = append(plan, detail)
		}
		return rows.Err()
	}))
	require.Contains(t, plan, "SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
}
