package enrich

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// maxCasual is how many words of a text are looked up as names without a
// capital; chat messages are short.
const maxCasual = 128

// casual links known people whose given name is written in small letters or in
// capitals throughout ("hey vitya", "ASK INGER"). A word counts only if it is
// the given name of exactly one known person. surfaces maps folded words to how
// they are written.
func (r *resolver) casual(ctx context.Context, surfaces map[string]string) error {
	if len(surfaces) == 0 {
		return nil
	}
	var aliases []string
	wordOf := make(map[string]string) // by alias
	for word := range surfaces {
		for _, alias := range names.WithForms(word) {
			aliases = append(aliases, alias)
			wordOf[alias] = word
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
		word := wordOf[alias]
		if tried[word] {
			continue
		}
		tried[word] = true
		forms := slices.DeleteFunc(names.WithForms(word), func(form string) bool { return !known[form] })
		found, err := r.onlyOne(ctx, surfaces[word], forms, byLikeness, func(e *schema.Entity) bool {
			given := names.Parse(e.Name).Given() // family names are words too often
			return isPerson(e) && (word == given || slices.Contains(names.OtherForms(word), given))
		})
		if err != nil {
			return err
		}
		if found.entity == nil {
			continue
		}
		known[word] = true // onlyOne has added the alias
		if err := r.tx.LinkEntity(ctx, r.memory.ID, found.entity.ID, surfaces[word], found.confidence); err != nil {
			return err
		}
	}
	return nil
}

// casualWords returns the words of a text in one case throughout that could be
// names, folded, with how they are written. It skips words inside mentions.
func casualWords(content string, mentions []text.Mention) map[string]string {
	surfaces := make(map[string]string)
	mentions = byPosition(mentions)
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
		oneCase := word == strings.ToLower(word) || word == strings.ToUpper(word)
		for len(mentions) > 0 && mentions[0].End <= start {
			mentions = mentions[1:]
		}
		inMention := len(mentions) > 0 && mentions[0].Start < end
		if oneCase && !inMention && utf8.RuneCountInString(word) >= 3 && !names.IsAlsoWord(folded) && !text.IsStopWord(folded) {
			if _, seen := surfaces[folded]; !seen {
				surfaces[folded] = word
			}
		}
		start = end
	}
	return surfaces
}
