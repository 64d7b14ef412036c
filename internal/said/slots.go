package said

import (
	_ "embed" // nounTable
	"regexp"
	"strings"
)

// class groups nouns that behave alike. Classes are combined to mean either.
type class uint16

const (
	noClass    class = 0
	role       class = 1 << iota // a person in a role, one at a time: dentist
	kin                          // a relative; there may be several: sister
	friend                       // one of many people: colleague
	pet                          // an animal: dog
	thing                        // a belonging, one at a time: car, address
	topic                        // something one can have a favourite of: colour
	condition                    // an illness or intolerance
	activity                     // something with a schedule: yoga
	place                        // something one can be a member of: gym
	diet                         // a way of eating
	status                       // a civil status
	occupation                   // a status instead of a job: retired
	language
	weekday
	drug // a medicine, by [isDrug]

	people  = role | kin | friend
	bearers = people | pet // have names
)

var classNames = map[string]class{
	"role": role, "kin": kin, "friend": friend, "pet": pet, "thing": thing, "topic": topic, "condition": condition,
	"activity": activity, "place": place, "diet": diet, "status": status, "occupation": occupation, "language": language, "day": weekday, "drug": drug, "bearer": bearers,
}

// noun is an entry of the table of nouns.
type noun struct {
	canon string
	class class
}

// nounTable lists the nouns of all languages: class, canonical name, then the
// words for it. A word may be in several classes; a pattern asks for one.
//
//go:embed nouns.txt
var nounTable string

// nouns maps a folded noun phrase to its entries.
var nouns = func() map[string][]noun {
	table := make(map[string][]noun, 1600)
	for line := range strings.Lines(nounTable) {
		head, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		kind, canon, _ := strings.Cut(head, " ")
		c := classNames[kind]
		if c == noClass {
			panic("said: unknown class " + kind)
		}
		for _, word := range strings.Fields(words) {
			key := foldPhrase(word)
			table[key] = append(table[key], noun{canon, c})
		}
	}
	return table
}()

// nounLengths maps a first word to the number of tokens of the longest noun
// phrase that begins with it.
var nounLengths = func() map[string]int {
	table := make(map[string]int, len(nouns))
	for phrase := range nouns {
		seq := sequence(strings.ReplaceAll(phrase, " ", "_"))
		table[seq[0]] = max(table[seq[0]], len(seq))
	}
	return table
}()

// foldPhrase folds the words of a table entry, which are joined by underscores.
func foldPhrase(s string) string {
	words := strings.Split(s, "_")
	for i, w := range words {
		words[i] = foldWord(w)
	}
	return strings.Join(words, " ")
}

// nounOf returns the entry of a phrase in a class.
func nounOf(phrase string, c class) (noun, bool) {
	for _, n := range nouns[phrase] {
		if n.class&c != 0 {
			return n, true
		}
	}
	return noun{}, false
}

// nounIn returns the canonical name of a phrase in a class.
func nounIn(phrase string, c class) (string, bool) {
	n, ok := nounOf(phrase, c)
	return n.canon, ok
}

// isDrug reports whether a word is a medicine: its name ends as those of its kind do in
// every language ("ramipril", "Atorvastatina"), or it is a common one that does not.
func isDrug(word string) bool { return drugName.MatchString(word) }

var drugName = regexp.MustCompile(`^(?:\pL{3,}(?:pril|sartan|olol|statin|dipin|prazol|formin|gliptin|gliflozin|xaban|thyroxin|oxetin|traline|azepam|zolam|gabalin|gabapentin|triptan)[aeo]?|(?:\pL*citalopram|losartan|warfarin|insulin|digoxin|furosemid|sertralin|clopidogrel|prednisolon|topiramat|lamotrigin|levetiracetam|methotrexat|allopurinol|spironolacton|naproxen)[aeo]?)$`)

// months in the languages read, for dates.
var months = wordSet(`january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
januar jänner februar märz mai juni juli oktober dezember
enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre`)

// predicateOf returns the predicate of a noun phrase: the canonical name where the
// table has one, else the words in snake_case.
func predicateOf(phrase string) string {
	if canon, ok := nounIn(phrase, thing|bearers|topic|place); ok {
		return canon
	}
	return strings.ReplaceAll(phrase, " ", "_")
}

// verbs are the canonical names of verbs that are predicates themselves.
var verbs = func() map[string]string {
	table := make(map[string]string)
	for canon, words := range map[string]string{
		"play": "playing spiele toco juego", "collect": "collecting sammle colecciono", "teach": "teaching unterrichte enseño",
		"practise": "practicing practising practice practico", "sing": "singing singe singen canto", "coach": "coaching", "swim": "swimming schwimme schwimmen nado", "run": "running jogging laufe laufen jogge joggen corro",
		"cook": "cooking koche kochen cocino", "read": "reading lese lesen leo", "go": "gehe voy", "drink": "drinking drinks trinke trinken trinkt bebo bebe", "smoke": "smoking smokes rauche rauchen raucht fumo fumar fuma", "eat": "esse como", "write": "schreibe escribo",
		"dance": "dancing tanze tanzen bailo", "paint": "painting male malen pinto", "meet": "treffe quedo", "call": "telefoniere llamo", "walk": "hiking wandere wandern camino",
	} {
		table[canon] = canon
		for _, w := range strings.Fields(words) {
			table[foldWord(w)] = canon
		}
	}
	return table
}()
