package series

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
)

// Reading is a number that a statement reports: "148/94", "8.3 km", "6 out of 10".
type Reading struct {
	// Value is the number as written, with its unit.
	Value string
	// Corrects means that the statement corrects an earlier reading.
	Corrects bool
	// Pure means that the statement says nothing else; Rest is the number of terms that it has
	// besides.
	Pure bool
	Rest int

	form     form
	numbers  []float64
	decimals int
	unit     string   // folded and stemmed, "" for none
	before   []string // terms of what the clause calls it before the number: "weight 78.6"
	after    []string // and after it: "2310 in the pot"
	place    []string // terms of where it is: "21.5 in the kitchen"
	person   bool     // before names a person or a thing, or may
	first    bool     // it stands in the first clause
	leads    bool     // the statement begins with it
	sentence string   // up to the end of the clause
}

// form is how a number is written; readings of different forms are of different quantities.
type form int

const (
	pair    form = iota + 1 // two numbers by a slash
	outOf                   // of a fixed number of points
	unit                    // with a unit or a counted noun
	decimal                 // with one decimal, without a unit
	loose                   // an amount, a duration or a number alone, which only its words tell from others
)

// Limits for a statement.
const (
	maxStatement = 120 // tokens; a longer one is no entry of a log
	maxBare      = 40  // tokens of a statement that is carried by its number
	maxBefore    = 3   // terms of a clause before the number, and after it
	maxAfter     = 6
	maxReadings  = 4
)

// Bare reports whether a number carries a message, so that it means little without the series
// that the number belongs to: "138/87 :)", "78.6 !!". pure means that it says nothing else.
func Bare(message string) (bare, pure bool) {
	of := Of(message)
	if len(of) == 0 || text.Tokens(message) > maxBare || text.OnlyAsks(message) {
		return false, false
	}
	for _, r := range of {
		if (r.first || r.Corrects) && (r.form != loose || r.leads && len(r.after) > 0) {
			bare, pure = true, pure || r.Pure
		}
	}
	return bare, pure
}

// Of returns the readings in a message, in order.
func Of(message string) (readings []Reading) {
	message = strings.TrimSpace(message)
	if !strings.ContainsAny(message, "123456789") || len(message) > maxStatement*8 || text.Tokens(message) > maxStatement || pasted.MatchString(message) {
		return nil
	}
	end := 0 // of the last reading
	for _, at := range number.FindAllStringIndex(message, -1) {
		if at[0] < end {
			continue
		}
		if r, ok := readingAt(message, at[0], at[1]); ok && len(readings) < maxReadings {
			end = at[0] + len(r.Value)
			readings = append(readings, r)
		}
	}
	if len(readings) > 0 && correction.MatchString(message) {
		for i := range readings {
			readings[i].Corrects = true
		}
	}
	return readings
}

// pasted matches what is no log: code, addresses, arithmetic.
var pasted = regexp.MustCompile("```|https?://|\\d ?[*×÷=^] ?\\d|\\d [+x] \\d|\\d ?(?:乘|除以|加上|减去|減去)|(?i)\\d (?:times|plus|minus|mal|por|más|menos|divided by|geteilt durch|entre) \\d")

// number matches what may be a number, with what is written as a part of it.
var number = regexp.MustCompile(`\d+(?:[.,:/]\d+)*`)

// readingAt parses the number at [lo, hi) of a message with its clause.
func readingAt(message string, lo, hi int) (r Reading, ok bool) {
	prev, _ := utf8.DecodeLastRuneInString(message[:lo])
	next, _ := utf8.DecodeRuneInString(message[hi:])
	money := strings.ContainsRune("€$£¥", prev) || strings.ContainsRune("€$£¥", next)
	if lo > 0 && !money && !unicode.IsSpace(prev) && !unicode.Is(unicode.Han, prev) && !strings.ContainsRune("(:：~≈,，。\"'“„«「", prev) ||
		strings.ContainsRune("-–—+*#_@:/=", next) || strings.HasPrefix(message[hi:], "'") || strings.HasPrefix(message[hi:], "’") {
		return Reading{}, false
	}
	if !r.parse(message[lo:hi]) {
		return Reading{}, false
	}
	from, to, start := clauseAround(message, lo, hi)
	before, after := message[from:lo], message[hi:to]
	if rest := text.Sentences(message[hi:]); len(rest) > 0 && text.EndsAsking(rest[0]) {
		return Reading{}, false
	}
	if notMeasured.MatchString(before) || notRightBefore.MatchString(before) || notMeasuredAfter.MatchString(after) || others.MatchString(before) {
		return Reading{}, false
	}
	length, known := r.readUnit(after, money)
	if !known {
		return Reading{}, false
	}
	r.Value = message[lo:hi] + strings.TrimRight(after[:length], " ")
	if after = after[length:]; after != "" && after[0] >= '0' && after[0] <= '9' || r.form == unit && r.decimals == 0 && courtesy.MatchString(after) {
		return Reading{}, false
	}
	r.before, r.after = labels(before), labels(after)
	called := before
	if strings.TrimSpace(before) == "" && r.unit == "" && r.form != pair && from > start && !correction.MatchString(message[start:from]) { // "Vet, 184.60"
		called = message[start:from]
		r.before = labels(called)
	}
	previous := previousClause(message, from)
	if han := strings.TrimSpace(previous); strings.TrimSpace(before) == "" && from > 0 && message[from-1] == ' ' && hanBefore(message, from-1) && !correction.MatchString(han) { // "廚房 20.9度"
		r.before = labels(han)
	}
	r.person, r.sentence = namesPerson(called) || namesOther(previous), message[start:to]
	if startsNoun(after) && (r.form == outOf || labelledByNext[r.unit]) { // "62.5 kg squat"
		r.before = append(r.before, r.after[0])
		r.person = r.person || r.form != outOf
	}
	if m := inPlace.FindStringSubmatch(after); m != nil && !distances[r.unit] {
		r.place = labels(m[0])
	}
	switch {
	case ofOther.MatchString(after) && namesPerson(ofOther.FindString(after)), // "26 laps by Tom"
		r.form == outOf && purpose.MatchString(after), distances[r.unit] && route.MatchString(after) && !both.MatchString(after),
		r.form != pair && r.decimals == 2 && !money && !bodyUnits[r.unit] && !distances[r.unit] && mayBeTime(r.numbers[0]),
		startsNoun(after) && people[strings.ToLower(wordAt(after))]: // "4.2 kg baby"
		return Reading{}, false
	case len(r.before) > maxBefore || len(r.after) > maxAfter, size.MatchString(after),
		len(r.before) > 0 && copula.MatchString(before) && !mine.MatchString(before) && r.form != pair,
		r.form == loose && r.unit == "" && followsNoun(before), // "room 214"
		r.form == loose && r.unit == "" && r.decimals == 0 && len(r.before) > 0 && len(r.after) == 0:
		return Reading{}, false
	}
	r.leads = len(labels(message[:lo])) == 0
	if r.form == unit && (ofThing.MatchString(after) || r.decimals == 0 && (!r.leads || startsNoun(after))) { // "23 kilos of rye", "I met 2 friends"
		return Reading{}, false
	}
	r.first = start == 0 && len(labels(message[:from])) == 0
	r.Rest = len(labels(message[:lo])) + len(labels(message[hi+length:]))
	r.Pure = r.Rest == 0
	return r, true
}

// parse reads a number as written and reports whether it may be a measurement.
func (r *Reading) parse(s string) bool {
	if m := ofPair.FindStringSubmatch(s); m != nil {
		a, b := value(m[1]), value(m[2])
		r.form, r.numbers = pair, []float64{a, b}
		return a > lastDay && a > b && a < 3*b && b <= mostSecond
	}
	m := ofNumber.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.decimals = max(0, len(m[2])-1)
	if r.decimals == 3 { // a thousand
		s, r.decimals = m[1]+m[2][1:], 0
	}
	r.numbers = []float64{value(s)}
	switch r.decimals {
	case 1:
		r.form = decimal
	default:
		r.form = loose
	}
	return r.numbers[0] > 0
}

// lastDay is the highest number of a date, "12/24" is a day, and mostSecond the highest second number
// of a pair, which is the lower one: "87/100" is a score, "205/55" a tyre.
const (
	lastDay    = 31
	mostSecond = 150
)

// mayBeTime reports whether a number with two decimals may be a time: "17.30".
func mayBeTime(n float64) bool {
	hundredths := int(n*100+0.5) % 100
	return n < 24.6 && hundredths < 60 && hundredths%5 == 0
}

var (
	ofPair   = regexp.MustCompile(`^([1-9]\d{1,2}(?:[.,]\d)?)/([1-9]\d{1,2}(?:[.,]\d)?)$`)
	ofNumber = regexp.MustCompile(`^([1-9]\d{0,5}|0)([.,]\d{1,3})?$`)
)

func value(s string) float64 {
	v, _ := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return v
}

// readUnit reads the unit at the beginning of what follows the number and returns its length, and
// whether the number may be a reading with it.
func (r *Reading) readUnit(after string, money bool) (length int, ok bool) {
	if r.form == pair {
		return 0, true
	}
	if m := points.FindStringSubmatch(after); m != nil && r.decimals < 2 {
		r.form, r.unit = outOf, "/"+m[1]
		return len(m[0]), r.numbers[0] <= value(m[1])
	}
	if m := hanUnit.FindString(after); m != "" {
		r.unit, length = strings.TrimSpace(m), len(m)
	} else if m := latinUnit.FindStringSubmatch(after); m != nil {
		length = len(m[0])
		word := m[1] + m[2] + m[3]
		if folded := text.Fold(word); !function[folded] && !text.IsStopWord(folded) {
			if r.unit = folded; len(text.Terms(word)) > 0 {
				r.unit = text.Terms(word)[0]
			}
		}
	}
	switch c, _ := utf8.DecodeRuneInString(after); {
	case money:
		r.form, r.unit = loose, "money"
		return 0, true
	case r.unit == "":
		return 0, !unicode.IsLetter(c) || strings.ContainsRune("了啦喔耶呀啊", c) // "5th", "8點"
	case noUnit[r.unit]:
		return 0, false
	case weakUnits[r.unit]:
		r.form = loose
	default:
		r.form = unit
	}
	return length, true
}

var (
	points    = regexp.MustCompile(`(?i)^ ?(?:out of|von|de|sobre|分之) ?(5|10|100)\b`)
	hanUnit   = regexp.MustCompile(`^ ?(?:公斤|公里|公尺|公分|千克|千米|毫升|大卡|千卡|斤|克|米|步|圈|趟|顆|颗|頁|页|組|组|下|度)`)
	latinUnit = regexp.MustCompile(`^(?: ?(%|°[CF]?)| ?(\p{Latin}+(?:/\p{Latin}+)?)|[-‑](\p{Latin}+))`)
)

// clauseAround returns the bounds of the clause around [lo, hi), and where its sentence begins.
func clauseAround(message string, lo, hi int) (from, to, start int) {
	han := strings.ContainsFunc(message, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	to = len(message)
	for _, at := range clauseEnd.FindAllStringIndex(message, -1) {
		switch mark := message[at[0]:at[1]]; {
		case within(message, at[0], at[1]):
		case strings.TrimSpace(mark) == "" && !(han && hanBefore(message, at[0])):
		case at[1] <= lo:
			from = at[1]
			if strings.ContainsAny(mark, ".!?。！？\n") {
				start = at[1]
			}
		case at[0] >= hi && at[0] < to:
			to = at[0]
		}
	}
	if m := conjunction.FindStringIndex(message[hi:to]); m != nil {
		to = hi + m[0]
	}
	return from, to, start
}

// within reports whether a mark is part of a number.
func within(message string, lo, hi int) bool {
	return lo > 0 && hi < len(message) && message[lo-1] >= '0' && message[lo-1] <= '9' && message[hi] >= '0' && message[hi] <= '9' && message[lo] != ' '
}

func hanBefore(message string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(message[:at])
	return unicode.Is(unicode.Han, r)
}

var (
	clauseEnd   = regexp.MustCompile(`[.!?;,。！？；，…—–()\n]+|:[-]?[()D]| - |\s+`)
	conjunction = regexp.MustCompile(`(?i)(?:^| )(?:but|and|so|because|though|although|while|after|aber|und|denn|weil|obwohl|nach|y|pero|porque|aunque|tras) `)
)

// labels returns the terms of a text that distinguish quantities: without function words,
// times, and words that only say that something is logged.
func labels(s string) (terms []string) {
	s = hanFunction.ReplaceAllString(s, " ")
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		folded := text.Fold(strings.NewReplacer("'s", "", "’s", "", "'", "", "’", "").Replace(word))
		if !function[folded] && !text.IsStopWord(folded) && (utf8.RuneCountInString(folded) > 1 || unicode.Is(unicode.Han, []rune(word)[0])) {
			terms = append(terms, text.Terms(word)...)
		}
	}
	return terms
}

// ofThing matches what makes a number an amount of something.
var ofThing = regexp.MustCompile(`(?i)^ ?(?:of|von|de)\b`)

// What follows a number: who it is of, what points are for, a way somewhere, and where it was read.
var (
	ofOther = regexp.MustCompile(`(?:^|[ ,])(?i:by|for|from|of|von|für|bei|de|para|por)\s+[^\s,.!?]+|^[,.]? \p{Lu}\p{Ll}+[.!]?$`)
	purpose = regexp.MustCompile(`^ ?(?i:for|für|para)(?:[^\pL]|$)`)
	route   = regexp.MustCompile(`^ (?i:to|from|away|nach|bis|von|hasta|desde|a|al)(?:[^\pL]|$)`)
	both    = regexp.MustCompile(`(?i)\b(?:and back|round trip)\b|hin und zurück|ida y vuelta`)
	inPlace = regexp.MustCompile(`(?:^|[^\pL])(?i:in (?:the|my|our|der|dem|den)|im|en (?:el|la|mi)|outside|inside|upstairs|downstairs|outdoors|draußen|drinnen|oben|unten|fuera|dentro)(?:[^\pL]|$).{0,30}`)
)

// previousClause returns the clause before the one that begins at from.
func previousClause(message string, from int) string {
	before := strings.TrimRightFunc(message[:from], func(r rune) bool { return !unicode.IsLetter(r) })
	if len(message[:from])-len(before) > 4 {
		return ""
	}
	return before[strings.LastIndexAny(before, ".!?;,。！？；，\n")+1:]
}

// namesOther reports whether a short clause before that of a number is of somebody: "Rob's turn, 128/84".
func namesOther(clause string) bool {
	clause = strings.TrimSpace(company.ReplaceAllString(clause, " "))
	if n := len(labels(clause)); n == 0 || n > maxBefore || correction.MatchString(clause) {
		return false
	}
	for _, word := range strings.FieldsFunc(clause, func(r rune) bool { return !unicode.IsLetter(r) }) {
		folded := text.Fold(word)
		if people[folded] || unicode.IsUpper([]rune(word)[0]) && names.IsGiven(folded) {
			return true
		}
	}
	return possessive.MatchString(clause) || slices.ContainsFunc(kin, func(k string) bool { return strings.Contains(clause, k) })
}

var (
	company    = regexp.MustCompile(`(?i)(?:with|and|mit|und|con|y) (?:my |our |mein\pL* |unser\pL* |mis? )?\pL+|[和跟][\p{Han}\pL]+`)
	possessive = regexp.MustCompile(`\p{Lu}\pL+['’]s `)
)

// courtesy matches what makes a number an order: "2 tickets please".
var courtesy = regexp.MustCompile(`(?i)\b(?:please|pls|bitte|por favor)\b|[請请]`)

// startsNoun reports whether the clause goes on with a word of content after the unit.
func startsNoun(after string) bool {
	words := strings.FieldsFunc(after, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	return len(words) > 0 && len(labels(words[0])) > 0
}

func wordAt(s string) string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })[0]
}

// followsNoun reports whether a clause names a thing right before the number.
func followsNoun(before string) bool {
	words := strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != ':' })
	return len(words) > 0 && !strings.HasSuffix(words[len(words)-1], ":") && len(labels(words[len(words)-1])) > 0
}
