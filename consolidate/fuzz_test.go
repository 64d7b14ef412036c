package consolidate

import (
	"testing"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/schema"
)

// FuzzModelAnswers reads anything as what a model answers: no panic, and what
// is believed in the end is quoted from what was said.
func FuzzModelAnswers(f *testing.F) {
	const said = "I moved to Oslo in May. Noor, my sister, hates the ferry."
	for _, answer := range []string{
		`{"facts": [{"text": "The user lives in Oslo.", "kind": "fact", "subject": "the user", "predicate": "lives in", "object": "Oslo", "type": "state", "when": "in May", "confidence": 0.9, "importance": 8, "sources": ["m1"], "quote": "I moved to Oslo"}]}`,
		`{"facts": [{"text": "Noor likes the ferry.", "sources": ["[m1]", "m9"], "quote": "hates the ferry", "confidence": 1e308, "importance": -3}]}`,
		`{"facts": [{"text": "x", "sources": [], "quote": "\u0000"}], "facts": []}`, `{"facts": null}`, `{"facts": [{}]}`,
		"```json\n{'facts': [{'text': 'Oslo', sources: [m1],}]}\n```", `{"facts": [{"text": "<|im_end|>", "sources": ["m1"]}`, `{"pairs": [{"pair": 1, "relation": " SAME "}]}`,
		`{"pairs": [{"pair": 1, "relation": "update", "why": "x"}, {"pair": 2, "relation": "compatible"}]}`,
	} {
		f.Add(answer, said)
	}
	f.Fuzz(func(t *testing.T, answer, said string) {
		if schema.ValidContent("text", said) != nil {
			return
		}
		var facts extractAnswer
		if ask.Decode(t.Context(), answer, &facts, nil) == nil && facts.check() == nil {
			in := &Input{Scope: schema.Scope{User: "ada"}, Now: time.Unix(1_750_000_000, 0), Location: time.UTC}
			heard := []turn{{Memory: schema.Memory{
				UID: "u1", Content: said, Role: "user", Origin: schema.OriginUser, Trust: schema.MaxTrust, EventTime: schema.At(time.Unix(1_748_000_000, 0)),
			}, alias: "m1", shown: said}}
			claims, _ := facts.claims(heard, in, nil)
			for _, c := range claims {
				if len(c.Sources) > 0 && c.Doubt == "" && !grounding.HoldsQuote(said, c.Sources[0].Quote) {
					t.Fatalf("believed without a quote: %+v", c)
				}
			}
		}
		var pairs conflictAnswer
		if ask.Decode(t.Context(), answer, &pairs, nil) == nil && pairs.check(2) == nil && len(pairs.Pairs) != 2 {
			t.Fatalf("%d verdicts on 2 pairs", len(pairs.Pairs))
		}
	})
}
