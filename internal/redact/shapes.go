package redact

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// shapeRules are secrets that are recognised by their form as a whole.
func shapeRules() []rule {
	return []rule{
		{"private-key", []string{"-----begin"}, findPrivateKey},
		{"jwt", []string{"eyj"}, findJWT},
		{"azure-secret", []string{"q~"}, behind(5, `[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`)},
		{"telegram-token", []string{":aa"}, behind(11, `\d{8,10}:AA[A-Za-z0-9_-]{32,}`)},
		{"mailchimp-key", []string{"-us"}, behind(33, `[0-9a-f]{32}-us\d{1,2}`)},
		{"authorization", []string{"bearer"}, findBearer},
		{"authorization", []string{"basic"}, findBasic},
		{"url-password", []string{"://"}, findURLPassword},
		{"url-signature", []string{"sig=", "signature="}, findURLSignature},
	}
}

// behind finds an expression that begins at most so many bytes before the key
// and holds it.
func behind(before int, expression string) func(s string, at, end int) (int, int, bool) {
	const after = 120
	re := regexp.MustCompile(`(?:^|[^A-Za-z0-9])(` + expression + `)`)
	return func(s string, at, end int) (int, int, bool) {
		from := max(0, at-before-1)
		loc := re.FindStringSubmatchIndex(s[from:min(len(s), end+after)])
		if loc == nil || from+loc[2] > at || from+loc[3] < end || !random(s[from+loc[2]:from+loc[3]]) {
			return 0, 0, false
		}
		return from + loc[2], from + loc[3], true
	}
}

var (
	privateBegin = regexp.MustCompile(`^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	privateEnd   = regexp.MustCompile(`-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
)

// findPrivateKey takes a block to its end, or as far as it goes when the text
// was cut off.
func findPrivateKey(s string, at, end int) (int, int, bool) {
	begin := privateBegin.FindStringIndex(s[at:min(len(s), at+100)])
	if begin == nil {
		return 0, 0, false
	}
	body := at + begin[1]
	if loc := privateEnd.FindStringIndex(s[body:]); loc != nil {
		return at, body + loc[1], true
	}
	for body < len(s) && (base64s[s[body]] || strings.IndexByte(" \t\r\n\\:,>", s[body]) >= 0) {
		body++
	}
	return at, body, true
}

func findJWT(s string, at, end int) (int, int, bool) {
	if s[at:end] != "eyJ" || !startsWord(s, at) {
		return 0, 0, false
	}
	header := run(s, at, &urlSafe)
	if header == len(s) || s[header] != '.' || header-at > 4096 {
		return 0, 0, false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(s[at:header])
	var fields struct{ Alg, Typ, Enc any }
	if err != nil || json.Unmarshal(decoded, &fields) != nil || fields.Alg == nil && fields.Typ == nil && fields.Enc == nil {
		return 0, 0, false
	}
	to := run(s, header, &dotted)
	return at, at + len(strings.TrimRight(s[at:to], ".-")), true
}

func findBearer(s string, at, end int) (int, int, bool) {
	from := skip(s, end, " \t:=\"'\\", 4)
	if from == end || !startsWord(s, at) {
		return 0, 0, false
	}
	to := run(s, from, &credential)
	to = from + len(strings.TrimRight(s[from:to], ".-,"))
	if to-from < 16 || !random(s[from:to]) {
		return 0, 0, false
	}
	return from, to, true
}

var credential = alphabetOf("A-Za-z0-9._~+/=-")

func findBasic(s string, at, end int) (int, int, bool) {
	from := skip(s, end, " \t", 2)
	if from == end || !startsWord(s, at) {
		return 0, 0, false
	}
	to := run(s, from, &base64s)
	decoded, err := base64.StdEncoding.DecodeString(s[from:to])
	if err != nil || len(decoded) < 5 || !utf8.Valid(decoded) || strings.IndexByte(string(decoded), ':') < 0 {
		return 0, 0, false
	}
	for _, c := range decoded {
		if c < ' ' {
			return 0, 0, false
		}
	}
	return from, to, true
}

// findURLPassword takes the password out of scheme://user:password@host, or a
// token that stands alone before the host.
func findURLPassword(s string, at, end int) (int, int, bool) {
	if at == 0 || !alnum[s[at-1]] {
		return 0, 0, false
	}
	const longest = 512
	stop := end
	for stop < len(s) && stop-end < longest && strings.IndexByte(" \t\r\n\"'<>`|", s[stop]) < 0 {
		stop++
	}
	authority := stop
	if i := strings.IndexAny(s[end:stop], "/?#"); i >= 0 {
		authority = end + i
	}
	host := strings.LastIndexByte(s[end:authority], '@')
	if host < 0 && authority < stop {
		// A password may hold a slash that should have been escaped; a port is
		// no password.
		_, after, ok := strings.Cut(s[end:authority], ":")
		if !ok || after == "" || strings.Trim(after, "0123456789") == "" {
			return 0, 0, false
		}
		host = strings.IndexByte(s[end:stop], '@')
	}
	if host < 0 {
		return 0, 0, false
	}
	user, password, ok := strings.Cut(s[end:end+host], ":")
	if !ok {
		return end, end + host, len(user) >= 20 && random(user)
	}
	if password == "" || isSample(password) {
		return 0, 0, false
	}
	return end + host - len(password), end + host, true
}

// findURLSignature takes the value of a signature parameter: whoever has the
// address may use it.
func findURLSignature(s string, at, end int) (int, int, bool) {
	start := at
	for start > 0 && (alnum[s[start-1]] || s[start-1] == '-') { // X-Amz-Signature
		start--
	}
	if start == 0 || strings.IndexByte("?&;", s[start-1]) < 0 {
		return 0, 0, false
	}
	to := end
	for to < len(s) && (credential[s[to]] || s[to] == '%') {
		to++
	}
	return end, to, to-end >= 16 && random(s[end:to])
}

// skip is the first place from i that none of chars stands at, at most so many
// on.
func skip(s string, i int, chars string, most int) int {
	for n := 0; n < most && i < len(s) && strings.IndexByte(chars, s[i]) >= 0; n++ {
		i++
	}
	return i
}
