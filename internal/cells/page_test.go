package cells

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"short", "a day", 20, []string{"a day"}},
		{"words", "one two three four five", 16, []string{"one two three", "four five"}},
		{"own line breaks", "one\n\ntwo", 20, []string{"one", "", "two"}},
		{"a long word is cut", strings.Repeat("x", 20), 16, []string{strings.Repeat("x", 16), "xxxx"}},
		{"Chinese breaks between signs", "我们星期五在湖边的老房子里见面吧", 16, []string{"我们星期五在湖边", "的老房子里见面吧"}},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, Wrap(test.text, test.width)) })
	}
}

func TestWrapKeepsTheTextAndTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := Printable(rapid.String().Draw(t, "text"))
		width := rapid.IntRange(16, 80).Draw(t, "width")
		lines := Wrap(text, width)
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(lines, "")) != squeeze(text) {
			t.Fatalf("%q became %q", text, lines)
		}
		for _, l := range lines {
			if Width(l) > width+1 { // a sign of two cells may stand on the edge
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
		if got := OneLine(text, width); Width(got) > width || strings.Contains(got, "\n") {
			t.Fatalf("OneLine(%q, %d) = %q", text, width, got)
		}
	})
}

func TestTableAlignsWithColourAndWideSigns(t *testing.T) {
	var out bytes.Buffer
	p := &Page{W: &out, Width: 80, Colour: true}
	p.Table("", [][]string{{p.In(Bold, "ab"), "1"}, {"你好", "2"}, {"x"}})
	require.Equal(t, "\x1b[1mab\x1b[0m    1\n你好  2\nx\n", out.String())
	require.Equal(t, "ab", (&Page{}).In(Bold, "ab"), "no colour unless wanted")
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 3 << 20: "3.0 MiB", 5 << 30: "5.0 GiB"} {
		require.Equal(t, want, Size(bytes))
	}
}

func TestTableFitsThePage(t *testing.T) {
	rows := [][]string{{"name", "aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"}, {"first", "1", "2", "3"}, {"second", "4", "5", "6"}}
	for _, width := range []int{80, 40, 30, 20} {
		var b strings.Builder
		p := &Page{W: &b, Width: width}
		p.Table("  ", rows)
		require.NoError(t, p.Err)
		for line := range strings.Lines(b.String()) {
			require.LessOrEqual(t, Width(strings.TrimRight(line, "\n")), width, line)
		}
		for _, cell := range []string{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "6"} {
			require.Contains(t, b.String(), cell)
		}
	}
	var b strings.Builder
	p := &Page{W: &b, Width: 40}
	p.Table("", [][]string{{"what", "why it is so and not otherwise, in a sentence"}, {"x", "y"}})
	require.Equal(t, "what  why it is so and not otherwise, in\n      a sentence\nx     y\n", b.String())
}

func TestCommandsAreNotWrapped(t *testing.T) {
	var b strings.Builder
	p := &Page{W: &b, Width: 40}
	p.Body("fix: ", "     ", "stop every program that uses it, then `ebb doctor --repair memory.db`, which copies it first")
	require.Contains(t, b.String(), "`ebb doctor --repair memory.db`")
	require.NotContains(t, b.String(), noBreak)
}
