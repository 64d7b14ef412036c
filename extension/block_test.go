package extension

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

var entries = rapid.Custom(func(t *rapid.T) []entry {
	var all []entry
	for i := range rapid.IntRange(0, 8).Draw(t, "entries") {
		content := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"</memory>", "<memory nonce=\"x\">\n", "tea\u2028 & \"cake\"", strings.Repeat("a long tale ", 60), strings.Repeat("长", 400), "\xff\x00",
		})).Draw(t, "content")
		all = append(all, entry{
			Result: Result{
				Memory: schema.Memory{
					UID: fmt.Sprint("m", i), Kind: schema.KindEpisode, Content: content, Role: "user", State: schema.StateActive,
					SessionName: rapid.SampledFrom([]string{"", "march", "</memory>"}).Draw(t, "session"),
					EventTime:   schema.At(time.Unix(rapid.Int64Range(0, 400_000).Draw(t, "time"), 0)),
					Speaker:     rapid.SampledFrom([]string{"", "Ada", "<b>\n"}).Draw(t, "speaker"),
				},
				Score: float64(-i),
			},
			short: rapid.Bool().Draw(t, "short"),
		})
	}
	return all
})

// What goes into a block comes out of it by reading its lines, and the fence
// stands once, whatever the texts hold.
func TestBlockReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := entries.Draw(t, "entries")
		order := rapid.SampledFrom([]InjectOrder{NewestFirst, BestFirst}).Draw(t, "order")
		b := render(in, order, 0, time.UTC)
		if len(in) == 0 {
			require.Empty(t, b.text)
			return
		}
		require.Len(t, b.shown, len(in))
		require.Equal(t, 1, strings.Count(b.text, "<memory"))
		require.Equal(t, 1, strings.Count(b.text, "</memory"))
		body, ok := strings.CutPrefix(b.text, fmt.Sprintf("<memory nonce=%q>\n%s", b.nonce, blockPreface))
		require.True(t, ok)
		body, ok = strings.CutSuffix(body, fmt.Sprintf("</memory nonce=%q>", b.nonce))
		require.True(t, ok)

		read := make(map[string]bool)
		var under heading
		seen := make(map[heading]bool)
		last := ""
		for l := range strings.Lines(body) {
			var got struct {
				heading
				record
			}
			require.NoError(t, json.Unmarshal([]byte(l), &got), "every line is an object")
			if got.ID == "" {
				require.False(t, seen[got.heading], "a heading stands once")
				under, last = got.heading, ""
				seen[under] = true
				continue
			}
			require.False(t, read[got.ID])
			read[got.ID] = true
			var e entry
			for _, candidate := range in {
				if candidate.Memory.UID == got.ID {
					e = candidate
				}
			}
			require.Equal(t, headingOf(&e.Memory, time.UTC), under)
			require.GreaterOrEqual(t, e.Memory.EventTime.Format("15:04"), last, "in order of time")
			last = e.Memory.EventTime.Format("15:04")
			want := strings.ToValidUTF8(e.Memory.Content, "\ufffd")
			if !e.short {
				require.Equal(t, len([]rune(want)), len([]rune(got.Text)))
			} else {
				require.LessOrEqual(t, utf8.RuneCountInString(got.Text), lineLength)
			}
		}
		require.Len(t, read, len(in))
	})
}

func TestBlockKeepsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(1, 1500).Draw(t, "budget")
		b := render(entries.Draw(t, "entries"), NewestFirst, budget, time.UTC)
		require.LessOrEqual(t, text.Tokens(b.text), budget)
		require.Equal(t, len(b.shown) == 0, b.text == "", "no empty fence")
	})
}

func TestBlockShortensBeforeItDrops(t *testing.T) {
	long := func(id string) entry {
		return entry{Result: Result{Memory: schema.Memory{UID: id, Content: strings.Repeat("The ferry to the island left late. ", 60), State: schema.StateActive}}}
	}
	b := render([]entry{long("first"), long("second")}, BestFirst, 800, time.UTC)
	require.Len(t, b.shown, 2)
	require.False(t, b.shown[0].short)
	require.True(t, b.shown[1].short)
	require.Contains(t, b.text, `to the…","cut":true`)
}

func TestBlockOrder(t *testing.T) {
	at := func(id, session string, day, hour int) entry {
		e := entry{Result: Result{Memory: schema.Memory{
			UID: id, SessionName: session, State: schema.StateActive, EventTime: schema.At(time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC)),
		}}}
		e.heading = headingOf(&e.Memory, time.UTC)
		return e
	}
	in := []entry{at("b", "one", 2, 9), at("d", "two", 5, 9), at("a", "one", 2, 8), at("c", "one", 3, 7)}
	for order, want := range map[InjectOrder]string{NewestFirst: "dcab", BestFirst: "abdc"} {
		var got string
		for _, e := range arrange(in, order) {
			got += e.Memory.UID
		}
		require.Equal(t, want, got, order)
	}
	b := render(in[:1], NewestFirst, 0, time.UTC)
	require.Contains(t, b.text, `{"session":"one","date":"Mon 2026-03-02"}`)
	require.Contains(t, b.text, `"time":"Mon 09:00"`)
}

func TestFirstLine(t *testing.T) {
	for _, test := range []struct {
		in   string
		most int
		want string
		cut  bool
	}{
		{"", 10, "", false},
		{"ten  chars", 10, "ten  chars", false},
		{"one two three", 10, "one two…", true},
		{"one,\n\n two", 8, "one, two", false},
		{"unbreakable", 6, "unbre…", true},
		{"我昨天去了医院看病", 6, "我昨天去了…", true},
		{"one two, three", 10, "one two…", true},
	} {
		got, cut := firstLine(test.in, test.most)
		require.Equal(t, test.want, got)
		require.Equal(t, test.cut, cut, test.in)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, most := rapid.String().Draw(t, "s"), rapid.IntRange(2, 50).Draw(t, "most")
		got, _ := firstLine(s, most)
		require.LessOrEqual(t, utf8.RuneCountInString(got), most)
	})
}
