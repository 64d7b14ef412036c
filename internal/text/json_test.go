package text

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestJSONEscapesInvisible(t *testing.T) {
	for s, want := range map[string]string{
		"plain":                    `"plain"`,
		"é 猫 ß":                    `"é 猫 ß"`,
		"<memory> & </memory>":     `"\u003cmemory\u003e \u0026 \u003c/memory\u003e"`,
		"a\u200bb\u2060c\u00add":   `"a\u200bb\u2060c\u00add"`,
		"\u202eelbmert\u202c":      `"\u202eelbmert\u202c"`,
		"\u2066a\u2069":            `"\u2066a\u2069"`,
		"a\u2028b\u2029c\u0085d":   `"a\u2028b\u2029c\u0085d"`,
		"hi\U000E0041\U000E0042":   `"hi\udb40\udc41\udb40\udc42"`,
		"\uE000":                   `"\ue000"`,
		"a\u200db":                 `"a\u200db"`,
		"👩\u200d👩\u200d👧":          "\"👩\u200d👩\u200d👧\"",
		"می\u200cخواهم":            "\"می\u200cخواهم\"",
		"❤\uFE0F":                  "\"❤\uFE0F\"",
		"a\uFE0F\uFE01\U000E0101b": `"a\ufe0f\ufe01\udb40\udd01b"`,
		"\x7f\x1b[2K":              `"\u007f\u001b[2K"`,
	} {
		require.Equal(t, want, JSON(s), "%q", s)
	}
}

func TestJSONReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom(nil, unicode.Latin, unicode.Cf, unicode.Arabic, unicode.So, unicode.Co, unicode.Variation_Selector), 0, 60, -1).Draw(t, "s")
		line := JSON(map[string]string{"text": s})
		var back struct{ Text string }
		require.NoError(t, json.Unmarshal([]byte(line), &back))
		require.Equal(t, s, back.Text)
		require.NotContains(t, line, "\n")
		require.NotContains(t, line, "<")
		require.False(t, strings.ContainsFunc(strings.NewReplacer("\u200c", "", "\u200d", "").Replace(line), func(r rune) bool {
			return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp)
		}), "%q", line)
	})
}
