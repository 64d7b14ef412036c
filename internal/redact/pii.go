package redact

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Personal data. It is redacted only when a host asks for it, since most of it is
// what a memory is for.

const (
	nameEmail = "email"
	namePhone = "phone"
	nameIBAN  = "iban"
	nameSSN   = "us-ssn"
	nameIP    = "ip-address"

	minPIIDigits = 4 // of 1.2.3.4
)

// numberNames are the kinds that [findNumbers] reports.
var numberNames = []string{namePhone, nameIBAN, nameSSN, nameIP}

func piiRules() []rule {
	return []rule{
		{nameEmail, []string{"@"}, findEmail},
		{nameIP, []string{"::"}, findIPv6},
		{namePhone, []string{"phone", "telephone", "tel", "mobile", "cell", "whatsapp", "call me at", "call me on", "handy", "handynummer", "telefon", "telefonnummer", "fax"}, findPhoneSaid},
	}
}

var notDomains = []string{"png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "ts", "py", "go", "md", "json", "txt", "html"}

func findEmail(s string, at, end int) (int, int, bool) {
	from := at
	for from > 0 && at-from < 64 {
		r, n := utf8.DecodeLastRuneInString(s[:from])
		if !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._%+-", r)) {
			break
		}
		from -= n
	}
	from += len(s[from:at]) - len(strings.TrimLeft(s[from:at], ".%+-"))
	to := end
	for to < len(s) && to-end < 255 {
		r, n := utf8.DecodeRuneInString(s[to:])
		if !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-') {
			break
		}
		to += n
	}
	domain := strings.TrimRight(s[end:to], ".-")
	to = end + len(domain)
	dot := strings.LastIndexByte(domain, '.')
	if from == at || dot <= 0 || strings.Contains(domain, "..") {
		return 0, 0, false
	}
	top := strings.ToLower(domain[dot+1:])
	if utf8.RuneCountInString(top) < 2 || strings.IndexFunc(top, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 && !strings.HasPrefix(top, "xn--") ||
		slices.Contains(notDomains, top) || s[from:at] == "git" {
		return 0, 0, false
	}
	return from, to, true
}

func findIPv6(s string, at, end int) (int, int, bool) {
	const longest = 45 // an IPv6 address with an embedded IPv4 address
	address := alphabetOf("A-Fa-f0-9:.")
	from, to := at, end
	for from > 0 && at-from <= longest && address[s[from-1]] {
		from--
	}
	to = run(s[:min(len(s), end+longest+1)], to, &address)
	to = from + len(strings.TrimRight(s[from:to], ".:"))
	return from, to, to > end && startsWord(s, from) && (to == len(s) || !word[s[to]]) && isPerson(s[from:to])
}

// isPerson reports whether an address may identify a person.
func isPerson(address string) bool {
	ip, err := netip.ParseAddr(address)
	return err == nil && !ip.IsLoopback() && !ip.IsUnspecified() && !ip.IsMulticast()
}

// Each shape is tried only at a run of digits that it may begin with.
var (
	ssnShape   = regexp.MustCompile(`^(\d{3})-(\d{2})-(\d{4})\b`)
	ipShape    = regexp.MustCompile(`^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`)
	ibanShape  = regexp.MustCompile(`^[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,32}`)
	phoneShape = regexp.MustCompile(`^(?:(?:\+|00)[1-9](?:[ ./()-]{0,3}\d){6,14}\b|` + // international
		`(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}\b|` + // North America
		`\(?0[1-9]\d{1,4}\)?[ /-](?:[ /-]?\d){5,9}\b|` + // other countries, with the area
		`0[1-9]\d{8,10}\b)`)
	phoneSaid = regexp.MustCompile(`(?i)^(?:nummer| number)?[^\pL\d\n\x00][^\n\d\x00]{0,19}(\d(?:[ ./()-]{0,2}\d){5,14})\b`)
)

// longestNumber is the maximum length of a number, in bytes.
const longestNumber = 80

// findNumbers visits personal data that consists of digits.
func findNumbers(s string, visit func(name string, from, to int)) {
	for i := 0; i < len(s); i++ {
		if s[i]-'0' >= 10 {
			continue
		}
		from := i
		for i < len(s) && s[i]-'0' < 10 {
			i++
		}
		numberAt(s, from, i, visit)
	}
}

// numberAt visits the number that begins with the run of digits s[from:to], if any.
func numberAt(s string, from, to int, visit func(name string, from, to int)) {
	ahead := func(start int) string { return s[start:min(len(s), start+longestNumber)] }
	if from >= 2 && to-from >= 2 && startsWord(s, from-2) {
		if loc := ibanShape.FindString(ahead(from - 2)); loc != "" {
			if n := ibanLength(loc); n > 0 {
				visit(nameIBAN, from-2, from-2+n)
			}
		}
	}
	if m := ssnShape.FindStringSubmatch(ahead(from)); to-from == 3 && m != nil && freestanding(s, from, from+len(m[0])) && isSSN(m[1], m[2], m[3]) {
		visit(nameSSN, from, from+len(m[0]))
	}
	if to-from <= 3 && to < len(s) && s[to] == '.' {
		ip := ipShape.FindString(ahead(from))
		end := from + len(ip)
		more := end+1 < len(s) && s[end] == '.' && s[end+1]-'0' < 10
		if ip != "" && !more && freestanding(s, from, end) && !versionBefore(s[:from]) && isPerson(ip) {
			visit(nameIP, from, end)
		}
	}
	for start := from; start >= max(0, from-1); start-- {
		if start < from && s[start] != '+' && s[start] != '(' {
			break
		}
		if n := len(phoneShape.FindString(ahead(start))); n > 0 && freestanding(s, start, start+n) && !ssnShape.MatchString(ahead(start)) {
			visit(namePhone, start, start+n)
		}
	}
}

// findPhoneSaid finds the number after a word such as "phone".
func findPhoneSaid(s string, at, end int) (int, int, bool) {
	if !startsWord(s, at) {
		return 0, 0, false
	}
	loc := phoneSaid.FindStringSubmatchIndex(s[end:min(len(s), end+longestNumber)])
	if loc == nil || isDate(s[end+loc[2]:end+loc[3]]) {
		return 0, 0, false
	}
	return end + loc[2], end + loc[3], true
}

// versionBefore reports whether a text ends in "v" or "version", so that a version
// follows.
func versionBefore(before string) bool {
	before = strings.ToLower(strings.TrimRight(before[max(0, len(before)-16):], " "))
	return strings.HasSuffix(before, "v") || strings.HasSuffix(before, "version") || strings.HasSuffix(before, "release") || strings.HasSuffix(before, "firmware")
}

// isSSN rejects the numbers that are never assigned.
func isSSN(area, group, serial string) bool {
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000"
}

// ibanLengths are the lengths of ISO 13616's registry.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22,
	"CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22,
	"GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30,
	"KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20,
	"MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
	"RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// ibanLength returns the length in bytes of the IBAN that s begins with; 0 for
// none. It checks the country's length, and the remainder of 1 modulo 97.
func ibanLength(s string) int {
	want := ibanLengths[strings.ToUpper(s[:2])]
	if want == 0 {
		return 0
	}
	var compact []byte
	for i := range len(s) {
		if s[i] == ' ' || s[i] == '-' {
			continue
		}
		compact = append(compact, s[i])
		if len(compact) == want {
			if i+1 < len(s) && alnum[s[i+1]] || !ibanChecks(compact) {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

func ibanChecks(iban []byte) bool {
	rest := 0
	for i := range iban {
		c := iban[(i+4)%len(iban)]
		if c >= 'a' {
			c -= 'a' - 'A'
		}
		if c-'0' < 10 {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
