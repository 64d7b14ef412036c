package names

import (
	"strings"
	"unicode"
)

// latinLetters maps Cyrillic letters to the usual English spelling of names.
var latinLetters = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ё': "yo", 'ж': "zh", 'з': "z", 'и': "i", 'й': "y",
	'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f",
	'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y", 'ь': "", 'э': "e", 'ю': "yu", 'я': "ya",
	'і': "i", 'ї': "yi", 'є': "ye", 'ґ': "g", 'ў': "u",
}

// caseEndings are the case endings of Russian given names with the nominative
// endings they replace, longer endings first.
var caseEndings = []struct{ ending, nominative string }{
	{"ом", ""}, {"ем", "й"}, {"ой", "а"}, {"ей", "я"},
	{"а", ""}, {"у", ""}, {"е", ""}, {"ы", "а"}, {"и", "я"}, {"и", "а"}, {"у", "а"}, {"ю", "я"}, {"е", "а"}, {"е", "я"}, {"я", "й"}, {"ю", "й"},
}

// LatinForms returns the Latin spellings of a folded Cyrillic name, as it
// stands and in the nominative: leny and lena for "лены". For a name in another
// script it returns nil.
func LatinForms(folded string) []string {
	if strings.IndexFunc(folded, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) < 0 {
		return nil
	}
	forms := []string{toLatin(folded)}
	for _, e := range caseEndings {
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
