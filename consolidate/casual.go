package consolidate

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// maxCasual is how many words of a text are looked up as names without a
// capital; chats are short.
const maxCasual = 128

// wordNames are given names that are also words: in small letters they are
// taken for the word.
var wordNames = words(`will may mark hope april june august rose grace art bill frank jack rich grant chase faith joy dawn summer autumn ivy lily
	ruby amber penny olive iris daisy violet heather hazel holly robin drew dean miles sue rob nick dick gene josh skip buddy norm wade reed
	brook sandy rocky sunny christian german sterling jasmine ginger pepper angel star melody harmony charity mercy trinity destiny wolf lance
	pierce colt dolly dots dot pat ray ted don ed al les len val kit max guy jo bea memo pancho chuck teddy wally harry angel cliff clay dale
	duke earl flora gale glen herb hunter jade lane lee major mason opal pearl piper prince queen rain randy ricky river roman rusty sage
	scout stella storm tucker viola willow woody tony mina mila lola nana lil mel gail nan dom sol mano tono si`)

// casual finds people known to this user whose given name is written without
// its capital or shouted ("hey vitya", "ASK INGER"). Only whole words that one
// known person alone is called by count.
func (r *resolver) casual(ctx context.Context, surfaces map[string]string) error {
	if len(surfaces) == 0 {
		return nil
	}
	var aliases []string
	written := make(map[string]string) // by alias, the word that leads to it
	for word := range surfaces {
		for _, alias := range append([]string{word}, otherForms(word)...) {
			aliases = append(aliases, alias)
			written[alias] = word
		}
	}
	found, err := r.tx.AliasesOfPersons(ctx, r.memory.UserID, aliases)
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, alias := range found {
		known[alias] = true
	}
	tried := make(map[string]bool)
	for _, alias := range found {
		word := written[alias]
		if tried[word] {
			continue
		}
		tried[word] = true
		forms := slices.DeleteFunc(append([]string{word}, otherForms(word)...), func(form string) bool { return !known[form] })
		match, err := r.only(ctx, surfaces[word], forms, byLikeness, func(e *schema.Entity) bool {
			given := parseName(e.Name).given() // surnames are words too often
			return isPerson(e) && (word == given || slices.Contains(otherForms(word), given))
		})
		if err != nil {
			return err
		}
		if match.entity == nil {
			continue
		}
		known[word] = true // by now
		if err := r.tx.LinkEntity(ctx, r.memory.ID, match.entity.ID, surfaces[word], match.confidence); err != nil {
			return err
		}
	}
	return nil
}

// casualWords are the words of a text, folded, that could be names written
// carelessly, with how they are written.
func casualWords(content string, found []text.Mention) map[string]string {
	surfaces := make(map[string]string)
	found = byPosition(found)
	for start := 0; start < len(content) && len(surfaces) < maxCasual; {
		first, size := utf8.DecodeRuneInString(content[start:])
		if !unicode.IsLetter(first) {
			start += size
			continue
		}
		end := start
		for end < len(content) {
			c, size := utf8.DecodeRuneInString(content[end:])
			if !unicode.IsLetter(c) && !unicode.IsMark(c) {
				break
			}
			end += size
		}
		word := content[start:end]
		folded := text.Fold(word)
		careless := word == strings.ToLower(word) || word == strings.ToUpper(word)
		for len(found) > 0 && found[0].End <= start {
			found = found[1:]
		}
		inside := len(found) > 0 && found[0].Start < end
		if careless && !inside && utf8.RuneCountInString(word) >= 3 && !wordNames[folded] && !text.IsStopWord(folded) {
			if _, seen := surfaces[folded]; !seen {
				surfaces[folded] = word
			}
		}
		start = end
	}
	return surfaces
}
