package redact

import (
	"regexp"
	"strings"
)

// samples are placeholders for a secret in documentation, in forms, and in code
// that reads the secret from elsewhere.
var samples = map[string]bool{
	"none": true, "null": true, "nil": true, "true": true, "false": true, "undefined": true, "empty": true, "unknown": true, "n/a": true,
	"required": true, "optional": true, "string": true, "text": true, "hidden": true, "redacted": true, "removed": true, "masked": true,
	"password": true, "yourpassword": true, "your_password": true, "your-password": true, "mypassword": true, "passwort": true, "pass": true,
	"secret": true, "token": true, "username": true, "user": true, "example": true, "here": true, "this": true, "that": true, "what": true,
	"incorrect": true, "invalid": true, "wrong": true, "correct": true, "expired": true, "missing": true, "changed": true, "reset": true,
	"falsch": true, "richtig": true, "abgelaufen": true, "vergessen": true, "geändert": true, "leer": true, "unbekannt": true, "erforderlich": true,
}

// isSample reports whether v is a placeholder for a secret.
func isSample(v string) bool {
	if v == "" || len(v) <= 64 && (samples[strings.ToLower(v)] || aboutPassword.MatchString(v) || algorithm.MatchString(v)) {
		return true
	}
	switch v[0] {
	case '<', '{', '$', '%':
		if strings.HasPrefix(v, "$2") || strings.HasPrefix(v, "$6$") || strings.HasPrefix(v, "$argon") {
			return false // the hash of a secret is a secret too
		}
		if v[0] == '<' || strings.HasPrefix(v, "{{") || strings.HasPrefix(v, "${") || strings.HasPrefix(v, "$(") || strings.HasSuffix(v, "%") || placeholder.MatchString(v) {
			return true
		}
		return v[0] == '$' && variable.MatchString(v[1:])
	case '*', '.', '_', '#':
		return strings.Trim(v, "*._#") == ""
	}
	return strings.Trim(v, "xX*•●.-_…") == "" || strings.HasPrefix(v, "•") || strings.Contains(v, "://") || strings.Trim(v, "\x00") == ""
}

// placeholder matches a template variable.
var placeholder = regexp.MustCompile(`^\{[A-Za-z_][\w.]*\}?$`)

var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// aboutPassword matches values in examples: "newpassword", "valid_password".
var aboutPassword = regexp.MustCompile(`(?i)^[a-z_-]*(?:password|passwort|passwd)[a-z_-]*$`)

// algorithm matches the name of a password hash.
var algorithm = regexp.MustCompile(`(?i)^(?:pbkdf2|bcrypt|scrypt|argon2\w*|sha-?\d+|md5)(?::\w+)?$`)

// isCode reports whether v is an expression of a programming language.
func isCode(v string) bool {
	return strings.ContainsAny(v, "([") && call.MatchString(v) || identifier.MatchString(v) // a long v without them costs call most
}

// call matches a function call or an index expression.
var call = regexp.MustCompile(`^(?:[A-Za-z_.]{4,}[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\()`)

// identifier matches a name in a program, of several words without a digit, which
// is hardly a password.
var identifier = regexp.MustCompile(`^[A-Za-z]+(?:[_.][A-Za-z]+)+$`)

func isPath(v string) bool {
	return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "./") || len(v) > 2 && v[1] == ':' && v[2] == '\\'
}

var dates = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d([T ][\d:.]*Z?)?|\d{1,2}[./:]\d{1,2})`)

func isDate(v string) bool { return dates.MatchString(v) }

// describing are words about a password's quality or place, not its value.
var describing = map[string]bool{
	"weak": true, "strong": true, "safe": true, "secure": true, "insecure": true, "right": true, "good": true, "bad": true, "fine": true, "okay": true,
	"short": true, "long": true, "longer": true, "shorter": true, "simple": true, "complex": true, "easy": true, "hard": true, "enough": true,
	"different": true, "same": true, "always": true, "never": true, "still": true, "again": true, "there": true, "mine": true, "yours": true,
	"gone": true, "lost": true, "known": true, "written": true, "stolen": true, "broken": true, "forgotten": true, "unique": true, "private": true,
	"public": true, "secret": true, "terrible": true, "awful": true, "great": true, "ready": true, "needed": true, "mandatory": true, "case-sensitive": true,
	"below": true, "above": true, "important": true, "enabled": true, "disabled": true, "temporary": true, "permanent": true, "default": true, "blank": true,
	"sicher": true, "unsicher": true, "schwach": true, "stark": true, "kurz": true, "gleich": true, "anders": true, "neu": true, "nötig": true, "bekannt": true,
	"it": true, "them": true, "something": true, "nothing": true, "everything": true, "anything": true, "ours": true, "theirs": true, "often": true,
	"elsewhere": true, "everywhere": true, "nowhere": true, "incorrecta": true, "incorrecto": true, "segura": true, "ok": true,
}

// describes reports whether a word describes a password.
func describes(v string) bool {
	w := strings.ToLower(v)
	if describing[w] {
		return true
	}
	for _, end := range [...]string{"ed", "ing", "ly", "able", "ible", "less", "ful", "ive", "ous", "ent", "ant", "est", "iert", "ig", "lich", "bar"} {
		if len(w) > len(end)+2 && strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}
