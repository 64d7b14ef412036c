package topics

// fold returns a rune in the form of the lists' keys: lower case, without
// diacritics. The caller handles "ß". 0 means neither letter nor digit.
func fold(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '+' || r == '&':
		return r
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r < 0xc0:
		return 0
	case r < 0x180:
		return rune(latin[r-0xc0])
	case r >= firstHan && r <= lastHan:
		return r
	}
	return 0
}

// firstHan and lastHan are the first and last of the Chinese characters.
const (
	firstHan = 0x3400
	lastHan  = 0x9fff
)

// latin folds U+00C0 to U+017F; a space means no letter of the supported languages.
var latin = func() (t [0x180 - 0xc0]byte) {
	groups := map[byte]string{
		'a': "àáâãäåāăą", 'c': "çćĉċč", 'd': "ďđð", 'e': "èéêëēĕėęě", 'g': "ĝğġģ", 'h': "ĥħ",
		'i': "ìíîïĩīĭįı", 'j': "ĵ", 'k': "ķ", 'l': "ĺļľŀł", 'n': "ñńņňŉŋ", 'o': "òóôõöøōŏőœ",
		'r': "ŕŗř", 's': "śŝşšß", 't': "ţťŧ", 'u': "ùúûüũūŭůűų", 'w': "ŵ", 'y': "ýÿŷ", 'z': "źżž",
	}
	for to, from := range groups {
		for _, r := range from {
			t[r-0xc0] = to
			if r >= 0xe0 && r <= 0xfe && r != 0xf7 {
				t[r-0xe0] = to // the capital
			} else if r >= 0x100 {
				t[(r-0xc0)&^1] = to
			}
		}
	}
	return t
}()
