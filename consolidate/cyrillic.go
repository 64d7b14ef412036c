package consolidate

import (
	"strings"
	"unicode"
)

// latinLetters spells Cyrillic letters the way names usually are in English.
var latinLetters = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ё': "yo", 'ж': "zh", 'з': "z", 'и': "i", 'й': "y",
	'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f",
	'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y", 'ь': "", 'э': "e", 'ю': "yu", 'я': "ya",
	'і': "i", 'ї': "yi", 'є': "ye", 'ґ': "g", 'ў': "u",
}

// endings are the case endings of Russian given names, with what the
// nominative has in their place. Longer ones come first.
var endings = []struct{ ending, nominative string }{
	{"ом", ""}, {"ем", "й"}, {"ой", "а"}, {"ей", "я"},
	{"а", ""}, {"у", ""}, {"е", ""}, {"ы", "а"}, {"и", "я"}, {"и", "а"}, {"у", "а"}, {"ю", "я"}, {"е", "а"}, {"е", "я"}, {"я", "й"}, {"ю", "й"},
}

// latinForms are the Latin spellings a folded Cyrillic name can have, as it
// stands and with its case endings undone: "лены" gives leny and lena. A name
// in another script gives none.
func latinForms(folded string) []string {
	if strings.IndexFunc(folded, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) < 0 {
		return nil
	}
	forms := []string{toLatin(folded)}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(folded, e.ending); ok && len([]rune(stem)) >= 2 {
			forms = append(forms, toLatin(stem+e.nominative))
		}
	}
	return forms
}

func toLatin(folded string) string {
	var b strings.Builder
	for _, r := range folded {
		if s, ok := latinLetters[r]; ok {
			b.WriteString(s)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
