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

func BenchmarkClaims(b *testing.B) {
	languages()
	for _, c := range []struct{ name, text string }{
		{"English", "Hi! Just so you know, we've moved to Oslo last month and I started a new job at Equinor. My sister lives in Rome, she loves opera. Could you tell me which tram goes from Majorstuen to the harbour?"},
		{"German", "Hallo! Nur zur Info: wir sind letzten Monat nach Wien gezogen und ich arbeite jetzt bei den Stadtwerken. Meine Schwester wohnt in Rom, sie liebt Opern. Welche Straßenbahn fährt von hier zum Hafen?"},
		{"Spanish", "Hola, para que lo sepas, nos hemos mudado a Sevilla el mes pasado y ahora trabajo en Correos. Mi hermana vive en Roma, le encanta la ópera. ¿Qué tranvía va desde la estación hasta el puerto viejo?"},
		{"Chinese", "你好，跟你说一下，我们上个月搬到上海了，我现在在邮局上班。我妹妹住在罗马，她喜欢歌剧。请问从这里到码头坐哪路电车比较方便？我每周二有瑜伽课，对花生过敏，不吃猪肉。我老板叫王强，人很好，昨天还请我吃饭了。"},
		{"NoClaim", "The quarterly report shows that revenue grew by four percent while costs stayed flat, which is better than what the analysts had expected, so could you make a table of the numbers and a short summary?"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Claims(c.text, 0)
				LastingOf(c.text)
			}
		})
	}
}
