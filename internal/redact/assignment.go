package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// assignmentRules find values assigned to a name of a secret: in code,
// configuration, JSON, command lines and prose.
func assignmentRules() []rule {
	return []rule{
		{"password", []string{
			"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "mot de passe", "contraseña", "contrasena", "senha",
			"palavra-passe", "wachtwoord", "lösenord", "adgangskode", "passord", "salasana", "hasło", "heslo", "parola", "jelszó",
			"пароль", "пароля", "Пароль", "密码", "密碼", "口令", "パスワード", "비밀번호",
		}, findAssigned(password)},
		{"password", []string{"pwd", "pass"}, findAssigned(shortPassword)},
		{"api-key", []string{"api key", "api-key", "api_key", "apikey", "access key", "access_key", "access-key", "accesskey", "account key", "accountkey",
			"account_key", "secret key", "secret_key", "secretkey", "private_key", "privatekey", "encryption key", "encryption_key", "signing key", "signing_key",
			"api-schlüssel", "clé api", "clave api"}, findAssigned(key)},
		{"secret", []string{"secret", "credential"}, findAssigned(key)},
		{"token", []string{"token"}, findAssigned(key)},
		{"pin", []string{"pin"}, findAssigned(pin)},
		{"card-code", []string{"cvv", "cvc", "cvv2", "security code"}, findAssigned(cardCode)},
	}
}

// secretKind classifies names by the values to expect.
type secretKind int

const (
	password secretKind = iota
	shortPassword
	key
	pin
	cardCode
)

// maxValue is the maximum length of a value, in bytes.
const maxValue = 400

func findAssigned(kind secretKind) func(s string, at, end int) (int, int, bool) {
	return func(s string, at, end int) (int, int, bool) {
		if kind != password && kind != key && !(startsWord(s, at) && (at == 0 || s[at-1] != '\'')) {
			return 0, 0, false
		}
		from, said, ok := separator(s, end, kind)
		if !ok && strings.HasPrefix(s[end:], " ") && (kind == cardCode || kind == pin && s[at:end] == "PIN") { // "pin 1234" is of a connector
			from, said, ok = end+1, beside, true
		}
		if !ok {
			return 0, 0, false
		}
		return value(s, from, kind, said)
	}
}

// linked is the way in which a value is linked to its name.
type linked int

const (
	bySign   linked = iota // password = x
	byWord                 // password is x
	byOption               // --password x
	beside                 // PIN 1234
)

// copulas are the words that link a name to a value in prose.
var copulas = []string{
	"is", "was", "are", "to", "ist", "lautet", "war", "heißt", "est", "es", "era", "é", "è", "är", "er", "on", "jest", "je",
	"это", "是", "为", "為", "は", "equals",
}

// reach is the maximum distance in bytes from a name to its separator: "the
// password for the guest network is …".
const reach = 48

// separator finds where the value begins.
func separator(s string, end int, kind secretKind) (from int, by linked, ok bool) {
	i := end
	if kind != key && kind != password && i < len(s) && alnum[s[i]] {
		return 0, 0, false // pinned
	}
	if kind == key || kind == password { // apiKeys, passwords, password1, SECRET_KEY_BASE
		const longest = 24
		i = run(s[:min(len(s), i+longest+1)], i, &suffix)
		if i-end > longest || i > end && kind == key && alnum[s[end]] && s[end] != 's' && !isCapital(s, end) {
			return 0, 0, false // tokenizer, secretary
		}
		if kind == password && i > end && s[end] >= 'a' && s[end] <= 'z' && s[end] != 's' && s[end] != 'e' && s[end] != 'r' {
			return 0, 0, false
		}
	}
	i = skip(s, i, "\"'`\\]*)", 4)
	i = skip(s, i, " \t", 6)
	if from, ok := sign(s, i); ok {
		return from, bySign, true
	}
	if i < len(s) && (s[i] == ',' || s[i] == '\n') {
		if n := len(valueMember.FindString(s[i:min(len(s), i+reach)])); n > 0 {
			return i + n, bySign, true
		}
	}
	if from, ok := copula(s, i); ok {
		return from, byWord, true
	}
	if at := strings.LastIndexAny(s[max(0, end-40):end], " \t\n"); i > end && strings.HasPrefix(s[max(0, end-40)+at+1:end], "--") {
		return i, byOption, true
	}
	if kind == shortPassword || kind == key {
		return 0, 0, false
	}
	return farther(s, i, kind)
}

// farther looks for the separator after a few more words of the sentence.
func farther(s string, i int, kind secretKind) (from int, by linked, ok bool) {
	for stop := min(len(s), i+reach); i < stop; {
		space := strings.IndexByte(s[i:stop], ' ')
		wordEnd := stop
		if space >= 0 {
			wordEnd = i + space
		}
		w := s[i:wordEnd]
		if bare, colon := strings.CutSuffix(w, ":"); colon && bare != "" && !strings.ContainsAny(bare, "/.,;!?\n") {
			return skip(s, wordEnd, " \t", 4), byWord, true
		}
		if strings.ContainsAny(w, ".,;!?\n:=") || space < 0 {
			return 0, 0, false
		}
		i = skip(s, wordEnd, " ", 3)
		if from, ok := copula(s, i); ok {
			return from, byWord, true
		}
		if (kind == pin || kind == cardCode) && !ofCard[strings.ToLower(w)] {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// valueMember matches what follows a name in {"name": "password", "value": "x"}.
var valueMember = regexp.MustCompile(`^[,\n]\s{0,12}["'\\]{0,2}value["'\\]{0,2} ?[:=] ?`)

// ofCard are the words that may stand between "PIN" and "is".
var ofCard = map[string]bool{
	"code": true, "number": true, "for": true, "of": true, "to": true, "on": true, "my": true, "the": true, "our": true, "bank": true, "card": true,
	"debit": true, "credit": true, "account": true, "phone": true, "nummer": true, "für": true, "von": true, "zu": true, "meine": true, "meiner": true,
	"die": true, "der": true, "karte": true, "bankkarte": true, "kreditkarte": true, "de": true, "del": true, "la": true, "mi": true, "tarjeta": true,
	"ma": true, "carte": true, "bancaire": true,
}

var suffix = alphabetOf("A-Za-z0-9_-")

func isCapital(s string, i int) bool { return s[i] >= 'A' && s[i] <= 'Z' }

func sign(s string, i int) (from int, ok bool) {
	for _, sep := range [...]string{":=", "=>", "->", "===", "==", "=", ":", "：", "\uff1d"} {
		if strings.HasPrefix(s[i:], sep) {
			return skip(s, i+len(sep), " \t*", 6), true
		}
	}
	return 0, false
}

func copula(s string, i int) (from int, ok bool) {
	for _, w := range copulas {
		if len(s)-i <= len(w) || !strings.EqualFold(s[i:i+len(w)], w) {
			continue
		}
		next := i + len(w)
		if w[0] >= utf8.RuneSelf && len(w) == 3 { // Chinese and Japanese have no space there
			return skip(s, skip(s, next, " \t", 4), ":", 1), true
		}
		if s[next] == ' ' || s[next] == ':' {
			return skip(s, next, " \t:=", 6), true
		}
	}
	return 0, false
}

// quotes are pairs of an opening and a closing mark.
var quotes = [...][2]string{
	{`\"`, `\"`}, {`\'`, `\'`}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"‘", "’"}, {"«", "»"}, {"「", "」"}, {"**", "**"},
}

// endsValue are the ASCII characters that end a value without quotes.
var endsValue = alphabetOf(" \t\n\v\f\r\"`<>\x00")

// value reads a value and decides whether it is a secret.
func value(s string, from int, kind secretKind, by linked) (int, int, bool) {
	first := from
	for from < len(s) && s[from] == replaced {
		from++
	}
	stop := min(len(s), from+maxValue)
	if kind == pin || kind == cardCode {
		stop = min(len(s), from+16)
	}
	for _, q := range quotes {
		if from > first || !strings.HasPrefix(s[from:stop], q[0]) {
			continue
		}
		inside := from + len(q[0])
		n := strings.Index(s[inside:stop], q[1])
		if n <= 0 || strings.ContainsAny(s[inside:inside+n], "\n\x00") {
			break
		}
		return inside, inside + n, believable(s[inside:inside+n], kind, by, true, true)
	}
	to := from
	for to < stop {
		if s[to] < utf8.RuneSelf {
			if endsValue[s[to]] || by == bySign && (s[to] == ';' || s[to] == '&') {
				break
			}
			to++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[to:])
		if unicode.IsSpace(r) || strings.ContainsRune("，。；、", r) {
			break
		}
		to += n
	}
	bare := strings.TrimRight(s[from:to], ".,;:!?)]}'*\\")
	to = from + len(bare)
	return from, to, believable(bare, kind, by, false, endsClause(s[to:]))
}

// endsClause reports whether the sentence ends before rest.
func endsClause(rest string) bool {
	rest = strings.TrimLeft(rest, " \t)]}'\"*\\")
	return rest == "" || strings.IndexByte(".,;:!?\n\r&", rest[0]) >= 0 || strings.HasPrefix(rest, "，") || strings.HasPrefix(rest, "。")
}

// believable distinguishes a secret from a word about secrets.
func believable(v string, kind secretKind, by linked, quoted, last bool) bool {
	if isSample(v) {
		return false
	}
	f := formOf(v)
	switch kind {
	case pin:
		return f.digits == len(v) && len(v) >= 4 && len(v) <= 6 && (by != beside || len(v) == 4)
	case cardCode:
		return f.digits == len(v) && (len(v) == 3 || len(v) == 4)
	case key:
		return len(v) >= 8 && f.spaces == 0 && f.digits > 0 && (f.letters > 0 || by == bySign && len(v) >= 16) && distinct(v) >= 5 && !isPath(v) && !isDate(v)
	case shortPassword:
		return len(v) >= 4 && f.letters > 0 && (f.digits > 0 || f.signs > 0) && by == bySign && !isPath(v) && !isCode(v)
	case password:
	}
	if len(v) < 4 || isPath(v) || isCode(v) || f.spaces > 0 && (!quoted || len(v) > 80) {
		return false
	}
	if f.digits > 0 || f.signs > 0 && f.signs < utf8.RuneCountInString(v) || f.inner {
		return by != byWord || f.digits < len(v) || last // "is 12345" ends there
	}
	if f.digits == len(v) && by == byWord && !last {
		return false
	}
	if quoted {
		return true
	}
	// A plain word is a secret only at the end of the sentence.
	return last && len(v) >= 5 && (by != byWord || !describes(v))
}

type form struct {
	letters, digits, signs, spaces int
	inner                          bool // a capital after a lower-case letter
}

func formOf(v string) (f form) {
	before := ' '
	for _, r := range v {
		switch {
		case unicode.IsSpace(r):
			f.spaces++
		case r >= '0' && r <= '9':
			f.digits++
		case unicode.IsLetter(r) || unicode.IsMark(r):
			f.letters++
			f.inner = f.inner || unicode.IsUpper(r) && unicode.IsLower(before)
		case r == '\'' || r == '’' || r == '-' || r == '/': // words have these too
		default:
			f.signs++
		}
		before = r
	}
	return f
}

func distinct(v string) (n int) {
	var seen [256]bool
	for i := range len(v) {
		if !seen[v[i]] {
			seen[v[i]] = true
			n++
		}
	}
	return n
}
