package said

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// slot identifies what a predicate is about, so that two wordings of one thing are
// compared.
type slot struct {
	family string // predicates that exclude or repeat each other
	name   string // within the family, "" where the family is one slot
}

// families are groups of predicates that state the same thing in other words.
var families = map[string]string{
	"lives_in": "home", "address": "home", "home": "home", "house": "home", "flat": "home", "postcode": "postcode",
	"works_at": "work", "employer": "work", "works_as": "work", "job": "work", "position": "work", "works_in": "work", "company": "work", "school": "school", "university": "school", "studies_at": "school",
	"studies": "studies", "major": "studies",
	"from": "origin", "home_town": "origin", "born_in": "origin", "grew_up_in": "origin",
	"likes": "taste", "dislikes": "taste", "prefers": "taste", "passion": "taste", "hobby": "taste", "uses": "use", "is": "trait",
	"eats": "eating", "cannot_eat": "eating", "allergic_to": "eating", "diet": "eating", "does_not_drink": "eating",
	"partner": "partner", "spouse": "partner", "fiance": "partner", "marital_status": "partner",
	"member_of": "member", "gym": "member", "club": "member", "choir": "member", "union": "member", "party": "member", "band": "member", "church": "member", "library": "member",
	"owns": "belongings", "car": "belongings", "bike": "belongings", "e-bike": "belongings", "motorbike": "belongings", "van": "belongings", "boat": "belongings", "laptop": "belongings", "phone_model": "belongings", "phone_number": "phone", "camera": "belongings", "tablet": "belongings", "watch": "belongings", "pet_breed": "pet_breed",
	"has_pet": "pets", "dog": "pets", "cat": "pets", "rabbit": "pets", "hamster": "pets", "horse": "pets", "parrot": "pets", "tortoise": "pets", "pet": "pets",
	"speaks": "languages", "native_language": "languages", "learns": "learning",
	"schedule": "schedule",
	"name":     "name", "nickname": "name",
	"answer_style": "answer_style", "answer_language": "answer_language", "should": "wish", "should_not": "wish",
	"birthday": "birthday", "age": "age", "has_condition": "health", "has_family": "family",
	"emojis": "wish", "editor": "use", "operating_system": "use", "programming_language": "use", "bank": "use",
}

// slotOf returns the slot of a predicate. An unknown predicate has a slot of its
// own.
func slotOf(predicate string) slot {
	if f, ok := families[predicate]; ok {
		return slot{f, predicate}
	}
	if strings.HasPrefix(predicate, "favourite_") {
		return slot{"taste", predicate}
	}
	return slot{predicate, predicate}
}

// Family returns the group of predicates in which one may exclude or repeat another.
func Family(predicate string) string { return slotOf(predicate).family }

// opposites contradict each other for the same object.
var opposites = map[[2]string]bool{
	{"likes", "dislikes"}: true, {"prefers", "dislikes"}: true, {"eats", "cannot_eat"}: true, {"eats", "allergic_to"}: true, {"eats", "does_not_drink"}: true,
	{"should", "should_not"}: true, {"passion", "dislikes"}: true, {"hobby", "dislikes"}: true,
}

func opposite(a, b string) bool { return opposites[[2]string{a, b}] || opposites[[2]string{b, a}] }

// exclusive are groups of objects that cannot hold together.
var exclusive = []map[string]bool{
	stems("vegetarian vegan pescatarian omnivore"),
	stems("single married divorced widowed engaged separated"),
}

// stems returns words in the form of contentWords.
func stems(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[strings.Join(text.Terms(w), " ")] = true
	}
	return set
}

func excludes(a, b string) bool {
	a, b = canonical(a), canonical(b)
	for _, g := range exclusive {
		if g[a] && g[b] {
			return a != b
		}
	}
	return false
}

// canonical returns an object in the words of the tables, where they have it.
func canonical(object string) string { return strings.Join(contentWords(object), " ") }

// jobless are occupations that end every employment.
var jobless = stems("retired unemployed")

// Compare returns the relation of a later claim to an earlier one about the same
// person. It decides by form: the same predicate, functional or marked as changed,
// another object.
func Compare(later, earlier Claim) Verdict {
	v := compare(later, earlier)
	if later.endsPerson(earlier) {
		return Replaces
	}
	if v == Unrelated || later.Relation == "" && earlier.Relation == "" {
		return v
	}
	named := later.Name != "" && earlier.Name != ""
	switch {
	case named && !sameObject(later.Name, earlier.Name):
		return Unrelated
	case v != Replaces || named || single[strings.TrimPrefix(later.Subject, "my ")]:
		return v
	case later.Name != earlier.Name || earlier.Relation != "" && later.Relation != earlier.Relation || !later.Change:
		return Unsure // of several sisters, perhaps another
	}
	return Replaces
}

// single are the relations that one person has at a time: the roles, but for neighbours
// and flatmates.
var single = func() map[string]bool {
	set := make(map[string]bool)
	for _, all := range nouns {
		for _, n := range all {
			if n.class == role && !neighbours[n.canon] {
				set[n.canon] = true
			}
		}
	}
	return set
}()

// OneOfSeveral reports whether a person has several of a relation, such as daughters and
// friends, so that two claims about "my daughter" may be about two of them.
func OneOfSeveral(relation string) bool {
	return slices.ContainsFunc(nouns[relation], func(n noun) bool { return n.class&(kin|friend) != 0 || neighbours[n.canon] })
}

// neighbours are roles that several people have.
var neighbours = wordSet("neighbour flatmate")

// compare is Compare for claims about one person.
func compare(later, earlier Claim) Verdict {
	if v, ok := compareCorrection(later, earlier); ok {
		return v
	}
	if text.Fold(later.Subject) != text.Fold(earlier.Subject) {
		return compareActivity(later, earlier)
	}
	if gaveUp(later, earlier) {
		return Replaces
	}
	a, b := slotOf(later.Predicate), slotOf(earlier.Predicate)
	if later.Ended == "" && a.family != b.family {
		return Unrelated // the common case
	}
	same := sameObject(later.Object, earlier.Object)
	ended := later.Ended != "" && sameObject(later.Ended, earlier.Object)

	if a.family != b.family {
		if ended && kinOf(later, earlier) {
			return Replaces
		}
		return Unrelated
	}
	switch {
	case later.Denied && earlier.Denied:
		if a.name == b.name && same {
			return Same
		}
		return Unrelated
	case later.Denied:
		return compareDenial(later, earlier, a, b, same)
	case earlier.Denied:
		if a.name == b.name && (contradicts(later, earlier) || earlier.Object == "" || later.Wish && later.Functional) {
			return Replaces
		}
		return Unrelated
	case ended:
		return Replaces
	case opposite(a.name, b.name):
		if contradicts(later, earlier) {
			return Replaces
		}
		return Unrelated
	case a.name != b.name:
		return compareNeighbours(later, earlier, a, b, same)
	case same:
		return Same
	case later.Wish && a.name == "should":
		return Adds
	case excludes(later.Object, earlier.Object):
		return Replaces
	case a.name == "diet":
		return Adds
	case a.name == "uses":
		return Adds // but for what it names as ended: "I switched from Chrome to Firefox"
	case later.Functional && !additive[a.family]:
		switch {
		case later.Change && earlier.Temporal != Habit, later.Temporal == Habit && earlier.Temporal == Habit:
			return Replaces
		case later.Temporal == Event, earlier.Temporal == Habit, earlier.besideOthers():
			return Unsure // another appointment, or what holds on some days or beside another
		case restricts(later.Object, earlier.Object),
			a.name == "lives_in" && (oneIsCountry(later.Object, earlier.Object) || isStreet(later.Object) != isStreet(earlier.Object)):
			return Unsure
		}
		return Replaces
	}
	return Adds
}

// isStreet reports whether a place is a street, or in Chinese a floor, which lies in a town.
func isStreet(place string) bool { return street.MatchString(strings.TrimSpace(place)) }

var street = regexp.MustCompile(`(?i)(?:\b(?:street|st|road|rd|lane|avenue|terrace|drive|close|crescent)|stra(?:ß|ss)e|gasse|weg|allee)(?: \d+\pL?)?$|^(?:calle|avenida|paseo)\b|[路街巷楼层]$`)

// contradicts reports whether two opposite claims exclude each other: their objects
// are the same, or the later claim denies all of what the earlier one states a part
// of. "I don't like coffee after six" does not end "I like coffee".
func contradicts(later, earlier Claim) bool {
	return covers(later.Object, earlier.Object) && (negative(later) || covers(earlier.Object, later.Object))
}

func negative(c Claim) bool {
	switch c.Predicate {
	case "dislikes", "cannot_eat", "allergic_to", "does_not_drink", "should_not":
		return true
	}
	return c.Denied
}

// covers reports whether an object has content words, and none but those of another.
func covers(a, b string) bool {
	of, words := contentWords(a), contentWords(b)
	return squash(a) == squash(b) || len(of) > 0 && !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(words, w) })
}

// restricts reports whether an object adds an adverbial to another: "choir on Fridays".
func restricts(a, b string) bool {
	words := strings.Fields(text.Fold(a))
	return !covers(a, b) && len(words) > 1 && slices.ContainsFunc(words[1:], func(w string) bool {
		return slices.ContainsFunc(languages(), func(l *lexicon) bool { return l.prefixes[w] })
	})
}

// additive families hold several objects whatever a row says.
var additive = map[string]bool{"pets": true, "languages": true, "health": true, "family": true}

// compareCorrection compares "it's Nora, not Noor", which has no subject.
func compareCorrection(later, earlier Claim) (Verdict, bool) {
	if later.Subject != "she" && later.Subject != "it" {
		return 0, false
	}
	if later.Ended != "" && sameObject(later.Ended, earlier.Object) {
		return Replaces, true
	}
	return Unrelated, true
}

// kinOf reports whether the object that one claim ends may be the object of
// another, although their predicates differ: belongings, tastes, employers and
// clubs, or an open noun: "my electricity supplier is X", "we switched from X to Y".
func kinOf(later, earlier Claim) bool {
	a, b := slotOf(later.Predicate).family, slotOf(earlier.Predicate).family
	return replaceable[a] && replaceable[b] || (a == "use" || a == "belongings" || a == "member") && earlier.Functional && earlier.Subject == "I"
}

// replaceable are the families of what people exchange.
var replaceable = wordSet("belongings use member work school switched taste")

// compareDenial compares a later "no longer" with an earlier claim.
func compareDenial(later, earlier Claim, a, b slot, same bool) Verdict {
	whole := later.Object == "" || isSlotNoun(later.Object, b.name)
	switch {
	case same && !covers(later.Object, earlier.Object) && (!later.Change || restricts(later.Object, earlier.Object)):
		return Unrelated // part of it
	case same:
		return Replaces
	case whole && a.name == b.name:
		return Replaces
	case whole && a.family == "work" && b.family == "work":
		return Replaces
	case later.Object == "" && a.family == "pets" && b.name == a.name:
		return Replaces
	}
	return Unrelated
}

// isSlotNoun reports whether an object only names its kind: "the car".
func isSlotNoun(object, name string) bool {
	canon, ok := nounIn(strings.Join(contentWords(object), " "), thing)
	return ok && canon == name
}

// compareNeighbours compares claims of one family under different predicates.
func compareNeighbours(later, earlier Claim, a, b slot, same bool) Verdict {
	either := func(name string) bool { return a.name == name || b.name == name }
	is := func(name string, states map[string]bool) bool {
		return a.name == name && states[canonical(later.Object)] || b.name == name && states[canonical(earlier.Object)]
	}
	switch {
	case is("works_as", jobless) && later.Temporal != Habit, is("marital_status", partnerless):
		return Replaces
	case same && either("dislikes"):
		return Replaces // the favourite is disliked now
	case same:
		return Same
	case a.name == "lives_in" && later.Change: // moving changes the address
		return Replaces
	case either("works_at") && either("employer") || either("works_as") && (either("job") || either("position")):
		if later.Functional {
			return Replaces
		}
		return Adds
	case a.family == "partner" && !either("marital_status"), a.family == "home" && later.Functional, later.Change && (a.family == "work" || a.family == "home"):
		return Unsure
	}
	return Unrelated
}

// partnerless are states that end a partnership.
var partnerless = stems("single divorced widowed separated")

// gaveUp reports whether a later claim ends the habit that an earlier one states under
// its verb: "I've stopped swimming", "I swim on Sundays".
func gaveUp(later, earlier Claim) bool {
	return later.Denied && later.Predicate == "does" && earlier.Temporal == Habit && !earlier.Denied &&
		(canonical(later.Object) == canonical(earlier.Predicate) || sameObject(later.Object, earlier.Object))
}

// compareActivity compares claims with different wordings of one subject: "yoga"
// and "yoga class".
func compareActivity(later, earlier Claim) Verdict {
	if later.Subject == "I" && later.Predicate == "does" && later.Denied && earlier.Predicate == "schedule" {
		if canon, ok := nounIn(text.Fold(later.Object), activity); ok && canon == earlier.Subject || sameObject(later.Object, earlier.Subject) {
			return Replaces // "I stopped yoga"
		}
	}
	if later.Predicate == "schedule" && earlier.Predicate == "schedule" && sameObject(later.Subject, earlier.Subject) {
		if sameObject(later.Object, earlier.Object) {
			return Same
		}
		if later.Functional || later.Change {
			return Replaces
		}
		return Adds
	}
	if later.Predicate == "schedule" && later.Denied && earlier.Subject == "I" && earlier.Temporal == Habit && sameObject(later.Subject, earlier.Object) {
		return Replaces // "I've given up bowls", "I play bowls on Tuesdays"
	}
	return Unrelated
}

// sameObject reports whether two objects name one thing: the content words of
// one are among those of the other.
func sameObject(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	if squash(a) == squash(b) {
		return true
	}
	x, y := contentWords(a), contentWords(b)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	for _, w := range x {
		if !slices.Contains(y, w) {
			return false
		}
	}
	// "12 Elm Street" is not "12", "Dr. Hale" not "Dr.".
	return len(x) == len(y) || !isNumber(x[0]) || len(x) > 1
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// squash removes everything but letters and digits.
func squash(s string) string {
	var b strings.Builder
	for _, r := range text.Fold(s) {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 0x7f {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// fillers are words of an object that do not distinguish things.
var fillers = wordSet("dr mr mrs ms prof professor frau herr sr sra señor señora doctor doctora dra the a an my our new old some der die das dem den ein eine einen einem mein meine meinen mi el la los las un una en de del in at on with mit auf im am and und y to uhr o'clock")

// contentWords returns the words of an object, each in one form. Languages and
// weekdays have the same name in all languages.
func contentWords(s string) []string {
	var out []string
	folded := text.Fold(s)
	if canon, ok := nounIn(folded, language|weekday|diet|condition|status|occupation|kin|pet); ok {
		return text.Terms(canon)
	}
	for _, w := range strings.FieldsFunc(folded, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '/' }) {
		if fillers[foldWord(w)] || w == "" {
			continue
		}
		if canon, ok := nounIn(w, weekday|language); ok {
			w = canon
		} else if canon := verbs[w]; canon != "" {
			w = canon
		}
		out = append(out, text.Terms(w)...)
	}
	return out
}

// oneIsCountry reports whether exactly one of two places is a country, which may
// contain the other.
func oneIsCountry(a, b string) bool {
	return countries[strings.Join(contentWords(a), " ")] != countries[strings.Join(contentWords(b), " ")]
}

// countries that people say they live in, as their content words.
var countries = func() map[string]bool {
	set := make(map[string]bool)
	for _, name := range strings.Fields(`Norway Sweden Denmark Finland Germany Austria Switzerland France Spain Portugal Italy Netherlands Belgium Poland Greece Ireland England Scotland Wales UK Britain USA US America Canada Mexico Brazil Argentina Chile Colombia Peru China Japan Korea Taiwan India Australia Turkey Egypt Israel Russia Ukraine Iceland California Texas Bavaria
	Norwegen Schweden Dänemark Deutschland Österreich Schweiz Frankreich Spanien Italien Niederlande Holland Belgien Polen Griechenland Irland Großbritannien Kanada Bayern Tirol
	Noruega Suecia Alemania Suiza Francia España Italia Holanda Bélgica Polonia Grecia Irlanda Inglaterra México Brasil Perú Cataluña Andalucía Galicia
	中国 美国 英国 德国 法国 日本 韩国 加拿大 澳大利亚 台湾 浙江 江苏 广东 四川 湖南 湖北 福建 山东 河南 河北`) {
		set[strings.Join(contentWords(name), " ")] = true
	}
	return set
}()
