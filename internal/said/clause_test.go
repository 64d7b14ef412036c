package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// assertClaims checks the claims of messages, which are written as in claimCases.
func assertClaims(t *testing.T, cases string) {
	t.Helper()
	for line := range strings.Lines(cases) {
		message, want, _ := strings.Cut(strings.TrimSpace(line), "=>")
		if message == "" {
			continue
		}
		var got []string
		for _, c := range Claims(strings.TrimSpace(message), 0) {
			got = append(got, mark(c))
		}
		assert.Equal(t, strings.TrimSpace(want), strings.Join(got, " ; "), message)
	}
}

func TestOpenersDoNotBlock(t *testing.T) {
	assertClaims(t, `
guess what, we moved to Graz => I | lives_in | Graz * !
I should mention that I'm diabetic => I | has_condition | diabetic
Maybe I should mention I'm allergic to latex. => I | allergic_to | latex
You should know if I'm vegan.
considering moving to Leeds
Ich wollte nur sagen: ich bin nach Bonn gezogen. => I | lives_in | Bonn * !
por si acaso, soy celíaca => I | has_condition | celíaca
si vivo en Lugo, es por mi madre
跟你说一下，我搬到大连了 => I | lives_in | 大连 * !
我想告诉你我对芒果过敏 => I | allergic_to | 芒果
告诉你，我可能要搬到上海
你知道我住在哪吗
`)
}
