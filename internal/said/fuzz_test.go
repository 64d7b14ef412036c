package said

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzClaims checks what must hold of any text: no panic, sentences that are
// part of it, a comparison of a claim with itself that is no contradiction.
func FuzzClaims(f *testing.F) {
	for line := range strings.Lines(claimCases + requestCases) {
		text, _, _ := strings.Cut(line, "=>")
		f.Add(text)
	}
	f.Add("I'm I'm I'm “„«「 ``` > \n```\nI live in \"")
	f.Add("我我我的的的叫是在")
	f.Fuzz(func(t *testing.T, s string) {
		claims := Claims(s, 0)
		for _, c := range claims {
			if !strings.Contains(s, c.Sentence) || c.Sentence == "" {
				t.Fatalf("%q: sentence %q", s, c.Sentence)
			}
			if c.Predicate == "" || c.Subject == "" {
				t.Fatalf("%q: %+v", s, c)
			}
			if v := Compare(c, c); v == Replaces && c.Ended == "" {
				t.Fatalf("%q: a claim replaces itself: %+v", s, c)
			}
			if utf8.ValidString(s) && !utf8.ValidString(c.Object) {
				t.Fatalf("%q: object %q", s, c.Object)
			}
		}
		if first := Claims(s, 1); len(first) > 1 || len(first) == 1 && first[0] != claims[0] {
			t.Fatalf("%q: at most one claim: %+v", s, first)
		}
		for _, r := range Requests(s) {
			if !strings.Contains(s, r.Sentence) || !strings.Contains(s, r.About) {
				t.Fatalf("%q: %+v", s, r)
			}
		}
		Reported(s, []string{"Ada", s})
		checkLasting(t, s)
	})
}

// TestLongTexts reads texts that are hard on a backtracking matcher. Their work
// is bounded per token, so that it is over at once; quadratic work is not.
func TestLongTexts(t *testing.T) {
	for _, part := range []string{"my ", "I have a ", "I love to and ", "\"", "'a ", "I live in , ", "我的", "我最喜欢的", "no me gusta ", "ich habe ", "I'm not not ", "and I ", "> ", "```\n", "[", "forget what I said about ", "every day on "} {
		s := strings.Repeat(part, maxMessage/len(part))
		began := time.Now()
		Claims(s, 0)
		Requests(s)
		LastingOf(s)
		t.Logf("%q: %v", part, time.Since(began))
	}
}
