package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// roots are the keys under which a term meets its relatives. A word has one:
// what is left when endings of derivation go, so that "painter" meets "paint"
// (Porter2 takes off inflections only). A bigram of an unspaced script has two:
// its characters, so that 猫咪 meets 小猫.
func roots(term string) []string {
	first, size := utf8.DecodeRuneInString(term)
	switch {
	case first >= firstUnspaced:
		second, _ := utf8.DecodeRuneInString(term[size:])
		if utf8.RuneCountInString(term) != 2 || first == second {
			return []string{term}
		}
		return []string{term[:size], term[size:]}
	case len(term) < minRoot || first < 'a' || first > 'z':
		return []string{term}
	}
	return []string{root(term)}
}

const (
	firstUnspaced = '\u0e00' // the first of the scripts that text.Terms cuts into bigrams
	minRoot       = 4
)

func root(stem string) string {
	for _, s := range endings {
		if len(stem)-len(s) >= minRoot && strings.HasSuffix(stem, s) {
			stem = strings.TrimSuffix(stem, s)
			if n := len(stem); n > minRoot && stem[n-1] == stem[n-2] && stem[n-1] != 's' && stem[n-1] != 'l' {
				stem = stem[:n-1] // "runner"
			}
			break
		}
	}
	if short := strings.TrimRight(stem, "eiy"); short != "" {
		return short
	}
	return stem // "iiii"
}

// endings of derivation as Porter2 leaves them, longest first.
var endings = strings.Fields("ation ition ment ship ness ance enc ant ist ism ion ing ive ful our or er al ic ag ur th ed iv")

// relatives maps a term to the terms of other forms and of everyday words for
// the same thing.
var relatives = func() map[string][]string {
	m := make(map[string][]string)
	for line := range strings.Lines(sameWords + sameChinese) {
		terms := text.Terms(line)
		for _, a := range terms {
			for _, b := range terms {
				if a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}()

// sameWords lists, a line each, the forms of irregular words, which no stemmer
// joins, and the commonest everyday words that are used for each other.
const sameWords = `go went gone
buy bought purchase
see saw seen
eat ate eaten
run ran
drive drove driven
fly flew flown flight
write wrote written
speak spoke spoken
take took taken
give gave given gift
get got
make made
find found
think thought
teach taught
catch caught
bring brought
feel felt
leave left
lose lost loss
meet met
say said
tell told
sell sold sale
send sent
sing sang sung song
sleep slept
spend spent
swim swam swum
win won winner
wear wore worn
begin began begun start
break broke broken
choose chose chosen choice
draw drew drawn
drink drank drunk
fall fell fallen
forget forgot forgotten
grow grew grown growth
hear heard
hide hid hidden
hold held
keep kept
know knew known
learn learnt
pay paid
ride rode ridden
steal stole stolen
throw threw thrown
wake woke woken
build built
bear bore born birth
bite bit bitten
blow blew blown
come came
fight fought
lead led
lend lent
shake shook shaken
shoot shot
show shown
sit sat
stand stood
stick stuck
strike struck
tear tore torn
understand understood
hurt injure injury
child children kid son daughter
man men
woman women
person people
foot feet
tooth teeth dentist
mouse mice
wife wives
life live lives
die died death dead
marry married marriage wedding wed
mom mum mother mommy
dad father daddy
grandma grandmother granny
grandpa grandfather
favorite favourite
color colour
movie film
job work career
picture photo pic photograph
bike bicycle
tv television
fridge refrigerator
sick ill illness
doctor physician
car vehicle
house home apartment flat
trip travel vacation holiday journey
pet dog cat puppy kitten
book novel read
like love enjoy
exercise workout gym
relationship dating boyfriend girlfriend partner
`
