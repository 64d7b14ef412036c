package extension_test

import (
	"bytes"
	"context"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// remembered returns ada's only episode after background work is done.
func remembered(t *testing.T, x *extension.Extension) extension.Record {
	t.Helper()
	require.NoError(t, x.WaitIdle(t.Context()))
	records, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{})
	require.NoError(t, err)
	require.Len(t, records, 1)
	return records[0]
}

// gathered is what the next reflection of ada's waits for.
func gathered(t *testing.T, x *extension.Extension) string {
	t.Helper()
	var file bytes.Buffer
	_, err := x.Export(t.Context(), &file, ada)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(file.String(), `"importance_since":`)
	sum, _, _ := strings.Cut(rest, "}")
	return sum
}

func TestMessageLabelsAreKept(t *testing.T) {
	x := open(t, fresh(t))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I moved.",
		eventbus.Attribute("location", "Lisbon"), eventbus.Tags("home", "move"), eventbus.Importance(9))))
	m := remembered(t, x)
	require.Equal(t, schema.Attributes{"location": "Lisbon"}, m.Attributes)
	require.Equal(t, schema.Strings{"home", "move"}, m.Tags)
	require.InDelta(t, 0.9, m.Importance, 1e-12, "the host's rating stays")
	require.Equal(t, "0.9", gathered(t, x), "and counts once")
}

func TestInstructionInLabelQuarantines(t *testing.T) {
	for name, opt := range map[string]eventbus.MessageOption{
		"an attribute": eventbus.Attribute("location", order), "a tag": eventbus.Tags("ferry", order),
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, fresh(t))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Ferry times.", opt, eventbus.Importance(9))))
			m := remembered(t, x)
			require.Equal(t, schema.StateQuarantined, m.State, "even beside the user's own words")
			require.Zero(t, m.Importance)
			require.Empty(t, gathered(t, x), "what is set aside weighs nothing")
		})
	}
}

func TestConfigAttributes(t *testing.T) {
	var faults []string
	said := map[string]string{"cycle": "12", "Bad": "x", "tool": "x", "location": ""}
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{
		Attributes: func(scope extension.Scope) map[string]string {
			if scope.User == "panic" {
				panic(scope.User)
			}
			return said
		},
		Hooks: extension.Hooks{OnError: func(source string, err error) { faults = append(faults, source) }},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "one")))
	require.Equal(t, schema.Attributes{"cycle": "12"}, remembered(t, x).Attributes, "what cannot be stored does not cost the message")

	ben, eve := extension.Scope{User: "ben"}, extension.Scope{User: "eve"}
	s := session(t, x, ben)
	require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "two"}, map[string]any{"output": "three"}))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ben, "four", eventbus.Attribute("cycle", "11")), eventbus.UserMessage(eve, "five")))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "panic"}, "six")))
	cycles := make(map[string]string)
	for _, scope := range []extension.Scope{ben, eve, {User: "panic"}} {
		records, err := x.Timeline(t.Context(), scope, extension.TimelineQuery{})
		require.NoError(t, err)
		for _, m := range records {
			cycles[m.Content] = m.Attributes["cycle"]
		}
	}
	require.Equal(t, map[string]string{"two": "12", "three": "12", "four": "11", "five": "12", "six": ""}, cycles)
	require.Contains(t, faults, "attributes")
	for _, source := range faults {
		require.Equal(t, "attributes", source)
	}
}

func TestOnlyTrustedExportsKeepLabels(t *testing.T) {
	x := open(t, fresh(t))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I moved.",
		eventbus.Attribute("location", "Lisbon"), eventbus.Tags("home"), eventbus.Importance(9))))
	require.NoError(t, x.WaitIdle(t.Context()))
	var file bytes.Buffer
	_, err := x.Export(t.Context(), &file, ada)
	require.NoError(t, err)
	for restore, want := range map[bool]string{true: "Lisbon", false: ""} {
		path := fresh(t)
		y := open(t, path)
		_, err := y.Import(t.Context(), bytes.NewReader(file.Bytes()), transfer.ImportOptions{Scope: extension.Scope{User: ada.User}, Restore: restore})
		require.NoError(t, err)
		m := remembered(t, y)
		require.Equal(t, want, m.Attributes["location"])
		require.Equal(t, restore, len(m.Tags) == 1)
		require.Equal(t, restore, m.Importance == 0.9)
		require.NoError(t, y.Close(t.Context()))

		// Nor has the journal, from which an import makes episodes.
		var again bytes.Buffer
		y = open(t, path)
		_, err = y.Export(t.Context(), &again, extension.Scope{User: ada.User})
		require.NoError(t, err)
		require.Equal(t, restore, strings.Contains(linesOf(&again, "event"), "Lisbon"))
	}
}

// linesOf are the lines of an export that hold a record of one kind.
func linesOf(file *bytes.Buffer, kind string) (lines string) {
	for line := range strings.Lines(file.String()) {
		if strings.HasPrefix(line, `{"`+kind+`":`) || strings.HasPrefix(line, `{"ebb":`) {
			lines += line
		}
	}
	return lines
}

// A message without its episode, and an episode without its message, come from
// an import with their labels.
func TestRepairedEpisodesHaveLabels(t *testing.T) {
	x := open(t, fresh(t))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I moved.", eventbus.Attribute("location", "Lisbon"), eventbus.Tags("home"))))
	require.NoError(t, x.WaitIdle(t.Context()))
	var file bytes.Buffer
	_, err := x.Export(t.Context(), &file, ada)
	require.NoError(t, err)
	for _, kind := range []string{"event", "memory"} {
		y := open(t, fresh(t))
		lines := regexp.MustCompile(`,"event_id":"[^"]*"`).ReplaceAllString(linesOf(&file, kind), "")
		_, err := y.Import(t.Context(), strings.NewReader(lines+`{"end":{"records":1}}`), transfer.ImportOptions{Scope: extension.Scope{User: ada.User}, Restore: true})
		require.NoError(t, err)
		m := remembered(t, y)
		require.Equal(t, "Lisbon", m.Attributes["location"])
		require.Equal(t, schema.Strings{"home"}, m.Tags)
		var again bytes.Buffer
		_, err = y.Export(t.Context(), &again, extension.Scope{User: ada.User})
		require.NoError(t, err)
		require.Contains(t, linesOf(&again, "event"), "Lisbon")
		require.Contains(t, linesOf(&again, "event"), `"home"`)
	}
}

func TestRaterSeesLabels(t *testing.T) {
	for severity, want := range map[string]float64{"high": 1, "low": 0.1, "": 0.45, "odd": 0.3} {
		x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Ranking: extension.RankingConfig{Rater: func(m *extension.Record) float64 {
			return map[string]float64{"high": 99, "low": -1, "": 4.5, "odd": math.NaN()}[m.Attributes["severity"]]
		}}})
		require.NoError(t, err)
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The pump failed.", eventbus.Attribute("severity", severity))))
		require.InDelta(t, want, remembered(t, x).Importance, 1e-12, severity)
		require.NoError(t, x.Close(t.Context()))
	}
}
