package prompt

import (
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// sentence returns the user's own words that support a claim, as shown, the share
// of the claim they contain, and their message. Among several it selects the
// sentence that contains most of the claim, then the newest. It returns "" if no
// message of the user's own supports the claim.
func (r *claimReader) sentence(claim *schema.Memory, sources []schema.Source, messages map[int64]schema.Memory) (best string, covered float64, from schema.Memory) {
	covered = -1
	var words claimWords
	for _, src := range sources {
		m, there := messages[src.SourceID]
		if !there || !isOwnSaying(&m) {
			continue
		}
		says := wordsOfClaim(claim, &m)
		sentence := grounding.WithSubject(m.Content, strings.Join(sentencesOf(says, src.Quote, m.Content, r.withdrawn[m.ID]), " "), maxSentence)
		share := says.in(sentence)
		if sentence == "" || share < covered || share == covered && m.EventTime.Before(from.EventTime.Time) {
			continue
		}
		covered, from, best, words = share, m, sentence, says
	}
	return shownFor(best, words), covered, from
}

// claimWords are the words of a claim that a sentence of the user can contain.
type claimWords []string

// wordsOfClaim returns the claim's words without its names for the speaker, who
// writes "I".
func wordsOfClaim(claim, message *schema.Memory) claimWords {
	speaker := text.Terms(message.Speaker)
	return slices.DeleteFunc(text.QueryTerms(claim.Content, 0), func(term string) bool {
		return term == "user" || slices.Contains(speaker, term)
	})
}

// in returns the share of the words that a text contains.
func (w claimWords) in(s string) float64 {
	if len(w) == 0 {
		return 1
	}
	return float64(text.Held(w, s)) / float64(len(w))
}

// fewWords is the maximum length of a sentence that is taken for an answer to the
// sentence before it.
const fewWords = 3

// sentencesOf returns the sentence of a message that contains the quotation, or else
// the one most similar to the claim. It adds neighbouring sentences that together contain
// more of the claim or that the sentence depends on, up to one of the withdrawn, which are
// folded. The result is verbatim.
func sentencesOf(says claimWords, quote, message string, withdrawn []string) []string {
	sentences := text.Sentences(message)
	if strings.Contains(message, quote) && len(text.Sentences(quote)) > 1 && text.Tokens(quote) <= maxSentence {
		return []string{quote}
	}
	at := slices.IndexFunc(sentences, func(s string) bool { return quote != "" && grounding.HoldsQuote(s, quote) })
	if at < 0 {
		most := -1.0
		for i, s := range sentences {
			if share := says.in(s); share > most {
				at, most = i, share
			}
		}
	}
	if at < 0 {
		return nil
	}
	from, to := at, at+1
	span := func(from, to int) string { return strings.Join(sentences[from:to], " ") }
	if text.Tokens(sentences[at]) > maxSentence && quote != "" && !losesNews(quote, sentences[at]) && len(quote) < len(sentences[at]) && grounding.HoldsQuote(sentences[at], quote) {
		return []string{quote}
	}
	fits := func(from, to int) bool {
		return text.Tokens(span(from, to)) <= maxSentence && (len(withdrawn) == 0 || !slices.ContainsFunc(slices.Concat(sentences[from:at], sentences[at+1:to]), func(s string) bool {
			return slices.Contains(withdrawn, text.Fold(text.Line(s)))
		}))
	}
	if from > 0 && len(text.Terms(sentences[at])) <= fewWords && fits(from-1, to) {
		from--
	}
	for grown := true; grown; {
		grown = false
		share := says.in(span(from, to))
		for first := from - 1; first >= 0 && !grown && fits(first, to); first-- {
			if says.in(span(first, to)) >= share+moreSaid {
				from, grown = first, true
			}
		}
		for last := to + 1; last <= len(sentences) && !grown && fits(from, last); last++ {
			if says.in(span(from, last)) >= share+moreSaid {
				to, grown = last, true
			}
		}
	}
	return sentences[from:to]
}

// moreSaid is the share of the claim, 0–1, that neighbouring sentences must add to be shown
// as well: "Sol, my part-timer. They/them. Catch me if I slip." for "Sol uses they/them;
// correct slips".
const moreSaid = 0.1

// forgottenSource returns the message of the user's own that a claim was read from, if that is
// hidden for something else it says: then what was not hidden with it is shown by itself, without
// the message.
func forgottenSource(claim *schema.Memory, sources []schema.Source, messages map[int64]schema.Memory) (m schema.Memory, hidden bool) {
	if !claim.OwnWords() || claim.Attributes[schema.AttrSaid] == "" {
		return m, false
	}
	for _, src := range sources {
		if m = messages[src.SourceID]; m.State == schema.StateForgotten && m.Role == "user" && m.OwnWords() {
			return m, true
		}
	}
	return m, false
}
