package eventbus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// stored reports the memory of an event.
func stored(t testing.TB, e *eventbus.Event) eventbus.PreparedReport {
	report, err := eventbus.New(eventbus.TopicMemoryStored, e.Scope, eventbus.OriginUnknown, eventbus.Stored{ID: "m-" + e.ID, Kind: "episode", EventID: e.ID})
	require.NoError(t, err)
	report.ID = ""
	prepared, err := eventbus.PrepareReport(report)
	require.NoError(t, err)
	return prepared
}

func topics(t testing.TB, j *eventbus.Journal) []string {
	t.Helper()
	events, err := j.All(t.Context())
	require.NoError(t, err)
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = e.Topic
	}
	return names
}

// publish stores events, with what store makes of the new ones.
func publish(ctx context.Context, j *eventbus.Journal, store func(ctx context.Context, tx *schema.Tx, e *eventbus.Event) ([]eventbus.PreparedReport, error), events ...eventbus.Event) ([]eventbus.Outcome, error) {
	b, err := j.Prepare(ctx, events...)
	if err != nil {
		return nil, err
	}
	return b.Publish(ctx, nil, func(ctx context.Context, tx *schema.Tx, fresh []int) (reports []eventbus.PreparedReport, err error) {
		for _, i := range fresh {
			made, err := store(ctx, tx, b.Event(i))
			if err != nil {
				return nil, err
			}
			reports = append(reports, made...)
		}
		return reports, nil
	})
}

func TestStoreSharesTheTransaction(t *testing.T) {
	ctx := t.Context()
	var ingested []string
	refuse := errors.New("no room in this memory")
	j := newJournal(t, &eventbus.JournalOptions{
		Redact: func(_ context.Context, _, s string) (string, error) {
			return strings.ReplaceAll(s, "s3cret", "[redacted]"), nil
		},
	})
	store := func(_ context.Context, tx *schema.Tx, e *eventbus.Event) ([]eventbus.PreparedReport, error) {
		m, err := e.Message()
		require.NoError(t, err)
		words := strings.Fields(m.Text)
		if words[0] == "refuse" {
			return nil, refuse
		}
		tx.OnCommit(func() { ingested = append(ingested, fmt.Sprint(words)) })
		return []eventbus.PreparedReport{stored(t, e)}, nil
	}
	say := func(events ...eventbus.Event) error {
		_, err := publish(ctx, j, store, events...)
		return err
	}
	reports := make(chan eventbus.Event, 10)
	_, err := j.Subscribe(ctx, "reports", func(_ context.Context, e eventbus.Event) error { reports <- e; return nil }, eventbus.Topics("memory.*"))
	require.NoError(t, err)

	first := eventbus.UserMessage(ada, "my s3cret word")
	require.NoError(t, say(first))
	require.ErrorIs(t, say(eventbus.UserMessage(ada, "good"), eventbus.UserMessage(ada, "refuse me")), refuse)
	require.NoError(t, say(first), "a duplicate")
	outcomes, err := publish(ctx, j, func(context.Context, *schema.Tx, *eventbus.Event) ([]eventbus.PreparedReport, error) {
		return nil, refuse
	}, first)
	require.NoError(t, err, "a duplicate is not stored, so nothing refuses it")
	require.Equal(t, []eventbus.Outcome{eventbus.Duplicate}, outcomes)
	require.NoError(t, j.WaitIdle(ctx))

	assert.Equal(t, []string{"[my [redacted] word]"}, ingested)
	assert.Equal(t, []string{eventbus.TopicUserMessage, eventbus.TopicMemoryStored}, topics(t, j), "the refused pair left nothing")
	require.Len(t, reports, 1)
	var payload eventbus.Stored
	require.NoError(t, (<-reports).Decode(&payload))
	assert.Equal(t, eventbus.Stored{ID: "m-" + first.ID, Kind: "episode", EventID: first.ID}, payload)
}

// Erasing a message searches for its report close after it.
func TestReportsAreNearTheirMessages(t *testing.T) {
	j := newJournal(t, nil)
	store := func(_ context.Context, _ *schema.Tx, e *eventbus.Event) ([]eventbus.PreparedReport, error) {
		return []eventbus.PreparedReport{stored(t, e)}, nil
	}
	var messages []eventbus.Event
	for i := range 3*schema.RowsAtOnce + 2 {
		messages = append(messages, eventbus.UserMessage(ada, "text", eventbus.WithID(fmt.Sprint(i))))
	}
	outcomes, err := publish(t.Context(), j, store, slices.Concat(messages[:5], messages[:7], messages[3:], messages[:20])...)
	require.NoError(t, err)
	for i, outcome := range outcomes {
		want := eventbus.Duplicate
		if i < 5 || i == 10 || i == 11 || i >= 16 && i < 12+len(messages)-3 {
			want = eventbus.Journalled
		}
		require.Equal(t, want, outcome, i)
	}
	events, err := j.All(t.Context())
	require.NoError(t, err)
	require.Len(t, events, 2*len(messages))
	said := make(map[string]int64)
	for _, e := range events {
		if e.Topic == eventbus.TopicUserMessage {
			said[e.ID] = e.Seq
			continue
		}
		var report eventbus.Stored
		require.NoError(t, e.Decode(&report))
		behind := e.Seq - said[report.EventID]
		require.Positive(t, behind)
		require.LessOrEqual(t, behind, int64(schema.RowsAtOnce))
	}
}

func TestReportTakesOnlyReports(t *testing.T) {
	j := newJournal(t, nil)
	var invalid *schema.InvalidError
	require.ErrorAs(t, j.Report(t.Context(), eventbus.UserMessage(ada, "x")), &invalid)
	e, err := eventbus.New(eventbus.TopicMemoryRecalled, ada, eventbus.OriginUnknown, eventbus.Recalled{Channel: "tool", Items: []eventbus.RecalledItem{{ID: "m", Rank: 1, Score: 0.5}}})
	require.NoError(t, err)
	require.NoError(t, j.Report(t.Context(), e, e))
	assert.Empty(t, topics(t, j), "an unknown user may have been erased")
	require.NoError(t, j.Publish(t.Context(), eventbus.UserMessage(ada, "x")))
	require.NoError(t, j.Report(t.Context(), e, e))
	assert.Equal(t, []string{eventbus.TopicUserMessage, eventbus.TopicMemoryRecalled}, topics(t, j))
}

// Republishing in any batches has one effect per user and id: one row, one call of
// store that is kept, one delivery.
func TestDuplicatesHaveOneEffect(t *testing.T) {
	type key struct{ user, id string }
	ctx := t.Context()
	ingested, delivered := map[key]int{}, map[key]int{}
	j := newJournal(t, nil)
	store := func(_ context.Context, tx *schema.Tx, e *eventbus.Event) ([]eventbus.PreparedReport, error) {
		tx.OnCommit(func() { ingested[key{e.Scope.User, e.ID}]++ })
		return nil, nil
	}
	_, err := j.Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error {
		delivered[key{e.Scope.User, e.ID}]++
		return nil
	})
	require.NoError(t, err)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		clear(ingested)
		clear(delivered)
		want := map[key]int{}
		event := rapid.Custom(func(rt *rapid.T) key {
			return key{rapid.SampledFrom([]string{"ada", "bob"}).Draw(rt, "user"), fmt.Sprint(rapid.IntRange(1, 40).Draw(rt, "id"))}
		})
		for _, batch := range rapid.SliceOfN(rapid.SliceOfN(event, 0, 40), 1, 6).Draw(rt, "batches") {
			var events []eventbus.Event
			for _, k := range batch {
				want[k] = 1
				scope := eventbus.Scope{Tenant: fmt.Sprint(round), User: k.user}
				events = append(events, eventbus.UserMessage(scope, "text", eventbus.WithID(k.id)))
			}
			_, err := publish(ctx, j, store, events...)
			require.NoError(rt, err)
		}
		require.NoError(rt, j.WaitIdle(ctx))
		require.Equal(rt, want, ingested)
		require.Equal(rt, want, delivered)
	})
}

// A report is written by ebb but may hold the user's question.
func TestReportsAreRedacted(t *testing.T) {
	refuse := errors.New("no")
	j := newJournal(t, &eventbus.JournalOptions{Redact: func(_ context.Context, name, s string) (string, error) {
		if s == "refuse" {
			return "", refuse
		}
		if name == "query" {
			return "kept out", nil
		}
		return s, nil
	}})
	report := func(query string) error {
		e, err := eventbus.New(eventbus.TopicMemoryRecalled, ada, eventbus.OriginUnknown, eventbus.Recalled{Channel: "tool", Query: query})
		require.NoError(t, err)
		return j.Report(t.Context(), e)
	}
	require.NoError(t, j.Publish(t.Context(), eventbus.UserMessage(ada, "x")))
	require.NoError(t, report("s3cret"))
	require.ErrorIs(t, report("refuse"), refuse)
	events, err := j.All(t.Context())
	require.NoError(t, err)
	require.Len(t, events, 2)
	assert.JSONEq(t, `{"channel":"tool","query":"kept out","items":null}`, string(events[1].Payload))
}
