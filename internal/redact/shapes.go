package redact

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// shapeRules recognise secrets by their whole form.
func shapeRules() []rule {
	return []rule{
		{"private-key", []string{"-----begin"}, findPrivateKey},
		{"jwt", []string{"eyj"}, findJWT},
		{"azure-secret", []string{"q~"}, around(5, `[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`)},
		{"telegram-token", []string{":aa"}, around(11, `\d{8,10}:AA[A-Za-z0-9_-]{32,}`)},
		{"mailchimp-key", []string{"-us"}, around(33, `[0-9a-f]{32}-us\d{1,2}`)},
		{"authorization", []string{"bearer"}, findBearer},
		{"authorization", []string{"basic"}, findBasic},
		{"authorization", []string{"auth"}, findAuth},
		{"authorization", []string{"-u", "--user"}, findUserOption},
		{"session-cookie", []string{"sess", "sid", "auth", "logged_in", "remember"}, findCookie},
		{"discord-token", []string{"."}, findDiscord},
		{"private-key", []string{"private key", "private_key", "private-key", "privatekey", "privkey", "privater schlüssel", "privaten schlüssel", "clave privada",
			"clé privée", "приватный ключ", "закрытый ключ", "私钥", "私鑰", "秘密鍵"}, findHexKey},
		{"url-password", []string{"://"}, findURLPassword},
		{"url-signature", []string{"sig=", "signature="}, findURLSignature},
	}
}

// around returns a function that finds a match of the expression that contains the
// key and begins at most before bytes before it.
func around(before int, expression string) func(s string, at, end int) (int, int, bool) {
	const after = 120
	re := regexp.MustCompile(`(?:^|[^A-Za-z0-9])(` + expression + `)`)
	return func(s string, at, end int) (int, int, bool) {
		if at == 0 || !hexes[s[at-1]] || !strings.Contains(expression, s[at:end]) { // most often
			return 0, 0, false
		}
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

// findPrivateKey finds a block up to its end, or the rest of a truncated one, which
// ends before the next block.
func findPrivateKey(s string, at, end int) (int, int, bool) {
	begin := privateBegin.FindStringIndex(s[at:min(len(s), at+100)])
	if begin == nil {
		return 0, 0, false
	}
	body := at + begin[1]
	if next := strings.Index(s[body:], "-----BEGIN "); next >= 0 {
		s = s[:body+next]
	}
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
	const longest = 4096
	header := run(s[:min(len(s), at+longest+1)], at, &urlSafe)
	if header == len(s) || s[header] != '.' {
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
	to, ok := generated(s, from, 16, &credential)
	return from, to, ok
}

var credential = alphabetOf("A-Za-z0-9._~+/=-")

func findBasic(s string, at, end int) (int, int, bool) {
	from := skip(s, end, " \t", 2)
	if from == end || !startsWord(s, at) {
		return 0, 0, false
	}
	return userAndPassword(s, from)
}

// findAuth finds the value of "auth" in the configuration of Docker and npm, when
// it encodes a name and a password.
func findAuth(s string, at, end int) (int, int, bool) {
	from := skip(s, end, "\"'\\ \t", 4)
	sep := skip(s, from, ":=", 1)
	if sep == from {
		return 0, 0, false
	}
	return userAndPassword(s, skip(s, sep, "\"'\\ \t\n", 8))
}

// userAndPassword finds the base64 of "user:password".
func userAndPassword(s string, from int) (int, int, bool) {
	const longest = 1024
	to := from
	for to < len(s) && to-from < longest && base64s[s[to]] && s[to] != '=' {
		to++
	}
	to = skip(s, to, "=", 2)
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

// userOption matches the value of curl's -u. In quotes, a password may have
// spaces.
var userOption = regexp.MustCompile(`^[ =]{0,2}(?:"([^\s"':\x00]{1,128}):([^"\n\x00]{0,256})"|'([^\s"':\x00]{1,128}):([^'\n\x00]{0,256})'|([^\s"':\x00]{1,128}):([^\s"'\x00]{0,256}))`)

// findUserOption finds the password of curl -u user:password, or a key alone
// before the colon.
func findUserOption(s string, at, end int) (int, int, bool) {
	if at == 0 || strings.IndexByte(" \t\n", s[at-1]) < 0 || !fetches(s[max(0, at-512):at]) {
		return 0, 0, false
	}
	loc := userOption.FindStringSubmatchIndex(s[end:min(len(s), end+400)])
	if loc == nil {
		return 0, 0, false
	}
	for loc = loc[2:]; loc[0] < 0; loc = loc[4:] {
	}
	user := s[end+loc[0] : end+loc[1]]
	password := strings.TrimRight(s[end+loc[2]:end+loc[3]], ",;)")
	switch {
	case password == "":
		return end + loc[0], end + loc[1], len(user) >= 16 && random(user)
	case isSample(password):
		return 0, 0, false
	}
	return end + loc[2], end + loc[2] + len(password), true
}

// fetches reports whether a command line runs curl or a similar program.
func fetches(before string) bool {
	line := len(before)
	for line > 0 && (before[line-1] != '\n' || line > 1 && before[line-2] == '\\') { // a shell's continuation
		line--
	}
	for word := range strings.FieldsSeq(before[line:]) {
		switch strings.TrimSuffix(strings.TrimLeft(word, "$`\"'("), `\`) {
		case "curl", "wget", "http", "https", "xh":
			return true
		}
	}
	return false
}

var (
	cookieName  = alphabetOf("A-Za-z0-9_.-")
	cookieValue = alphabetOf("A-Za-z0-9._~+/%:!-")
)

// findCookie finds the value of a session cookie. A name that only session cookies
// have suffices; another name needs "cookie" in its line.
func findCookie(s string, at, end int) (int, int, bool) {
	const longest = 48
	name := at
	for name > 0 && at-name < longest && cookieName[s[name-1]] {
		name--
	}
	to := end
	for to < len(s) && to-end < longest && cookieName[s[to]] {
		to++
	}
	if to+1 >= len(s) || s[to] != '=' {
		return 0, 0, false
	}
	from := skip(s, to+1, "\"", 1)
	end = from
	for end < len(s) && end-from < 4096 && cookieValue[s[end]] {
		end++
	}
	end = skip(s, end, "=", 2)
	if end-from < 16 || !random(s[from:end]) {
		return 0, 0, false
	}
	switch written := strings.ToLower(s[name:to]); written {
	case "phpsessid", "jsessionid", "sessionid", "connect.sid", "asp.net_sessionid", ".aspxauth", "laravel_session", "ci_session":
		return from, end, true
	}
	line := s[max(0, name-2048):name]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return from, end, strings.Contains(strings.ToLower(line), "cookie")
}

// findDiscord finds a bot token: its number in base64, six bytes of time and a
// signature. at is the first dot.
func findDiscord(s string, at, end int) (int, int, bool) {
	const moment = 6
	if end+moment >= len(s) || s[end+moment] != '.' || run(s, end, &urlSafe) != end+moment {
		return 0, 0, false
	}
	from := at
	for from > 0 && at-from <= 28 && urlSafe[s[from-1]] {
		from--
	}
	to := run(s, end+moment+1, &urlSafe)
	if n := to - (end + moment + 1); n < 27 || n > 45 {
		return 0, 0, false
	}
	number, err := base64.RawURLEncoding.DecodeString(s[from:at])
	return from, to, err == nil && len(number) >= 17 && len(number) <= 20 && strings.Trim(string(number), "0123456789") == ""
}

var hexKey = regexp.MustCompile(`(?:^|[^0-9A-Za-z])((?:0[xX])?[0-9a-fA-F]{64})(?:$|[^0-9A-Za-z])`)

// findHexKey finds 32 bytes after words for a private key, or a few words before
// them.
func findHexKey(s string, at, end int) (int, int, bool) {
	const ahead, back, about = 160, 100, 24
	from, between := end, ""
	loc := hexKey.FindStringSubmatchIndex(s[end:min(len(s), end+ahead)])
	if loc != nil {
		between = s[end : end+loc[2]]
	} else {
		from = max(0, at-back)
		if loc = hexKey.FindStringSubmatchIndex(s[from:at]); loc == nil || strings.ContainsAny(s[from+loc[3]:at], ".;\n") {
			return 0, 0, false
		}
		between = s[max(0, from+loc[2]-about):from+loc[2]] + s[from+loc[3]:at]
	}
	if aboutKey.MatchString(between) || distinct(s[from+loc[2]:from+loc[3]]) < 8 {
		return 0, 0, false
	}
	return from + loc[2], from + loc[3], true
}

// aboutKey matches words for public values of the length of a key.
var aboutKey = regexp.MustCompile(`(?i)\b(?:sha-?256|hash|digest|fingerprint|checksum|public|commit|tx(?:id)?|transaction)\b`)

// findURLPassword finds the password in scheme://user:password@host, or a token
// alone before the host.
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
		// A password may contain an unescaped slash; a port is no password.
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
		return end, end + host, len(user) >= 20 && run(user, 0, &credential) == len(user) && random(user)
	}
	if password == "" || isSample(password) {
		return 0, 0, false
	}
	return end + host - len(password), end + host, true
}

// findURLSignature finds the value of a signature parameter, which grants access
// to the resource.
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

// skip returns the first position from i on with a byte that is not in chars, at
// most bytes further.
func skip(s string, i int, chars string, most int) int {
	for n := 0; n < most && i < len(s) && strings.IndexByte(chars, s[i]) >= 0; n++ {
		i++
	}
	return i
}
