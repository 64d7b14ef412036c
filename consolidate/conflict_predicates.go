package consolidate

import (
	_ "embed"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// objectKind says what the object of a functional predicate is, and so when
// two of them exclude each other.
type objectKind int

const (
	named objectKind = iota + 1 // a person, an employer: "Acme", not "a bank"
	place                       // a town or a region, which lie in each other
	role                        // a word or two: "nurse"
	value                       // a number or an address, compared as a whole
)

// functional are the predicates of which somebody has one object at a time.
// Their names are those that [grounding.StatesOutright] knows.
var functional = map[string]objectKind{
	"lives_in": place, "home_town": place,
	"works_at": named, "married_to": named, "partner": named, "name": named,
	"works_as": role,
	"email":    value, "phone": value, "address": value, "age": value, "birthday": value,
}

// additive are predicates of which one more object takes nothing from those
// before: liking tea does not end liking coffee.
var additive = wordSet(`is are was has have had likes loves enjoys prefers dislikes hates wants needs avoids owns knows did does plans
	will visited went_to traveled_to travelled_to attended met saw read reads watched watches plays speaks cooks made bought
	has_child has_children has_son has_daughter has_sibling has_brother has_sister has_friend friend_of has_pet has_hobby hobby
	interested_in is_interested_in allergic_to is_allergic_to supports uses said mentioned thinks believes feels remembers
	studies studied learned learns works_on worked_on participates_in volunteers_at member_of is_member_of favorite favourite`)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// claimKey is what a claim is about: subject and predicate, folded. Claims of
// one key can contradict each other outright.
type claimKey struct{ subject, predicate string }

// keyOf is the key of a claim; ok is false when it has no subject or no
// predicate.
func keyOf(m *schema.Memory) (k claimKey, ok bool) {
	k = claimKey{text.Fold(m.Subject), claims.Predicate(m.Predicate)}
	return k, k.subject != "" && k.predicate != ""
}

// negated reports a claim that says what is not, or no longer, so.
func negated(m *schema.Memory) bool { return negation.MatchString(m.Content) }

// isPlan reports a claim about what is to be.
func isPlan(m *schema.Memory) bool { return m.Attributes[schema.AttrTemporal] == string(Plan) }

// exclusive reports whether two claims of one functional predicate cannot both
// hold at one time, as far as code can tell. "Oslo" and "Oslo, Norway" can,
// "Acme" and "a bank" can, and what is planned or denied excludes nothing. It
// errs on the side of no: those pairs are the model's.
func exclusive(a, b *schema.Memory) bool {
	kind := functional[claims.Predicate(a.Predicate)]
	if kind == 0 || negated(a) || negated(b) || isPlan(a) || isPlan(b) {
		return false
	}
	x, y := text.Fold(a.Object), text.Fold(b.Object)
	if x == "" || y == "" || grounding.HoldsWord(x, y) || grounding.HoldsWord(y, x) {
		return false
	}
	if kind == value {
		return plain(x) != plain(y)
	}
	if shareWord(x, y) {
		return false
	}
	switch kind {
	case named:
		return isName(a.Object) && isName(b.Object)
	case place:
		return isName(a.Object) && isName(b.Object) && isRegion(x) == isRegion(y)
	default:
		return true
	}
}

// plain is a value without what is only its form: spaces, dots, dashes.
func plain(folded string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@' {
			return r
		}
		return -1
	}, folded)
}

func shareWord(x, y string) bool {
	in := make(map[string]bool)
	for _, t := range text.Terms(x) {
		in[t] = !text.IsStopWord(t)
	}
	for _, t := range text.Terms(y) {
		if in[t] {
			return true
		}
	}
	return false
}

// isName reports an object that begins as a name does, an article apart;
// scripts without case pass.
func isName(object string) bool {
	for _, r := range strings.TrimPrefix(object, "the ") {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return !unicode.IsLower(r)
		}
	}
	return false
}

//go:embed regions.txt
var regionList string

// regions are the English names of countries, continents and the states of the
// United States: a town may lie in one, so that living in both is no conflict.
var regions = func() map[string]bool {
	set := make(map[string]bool)
	for line := range strings.Lines(regionList) {
		set[text.Fold(line)] = true
	}
	return set
}()

func isRegion(folded string) bool { return regions[strings.TrimPrefix(folded, "the ")] }

func sameObject(a, b *schema.Memory) bool {
	return plain(text.Fold(a.Object)) == plain(text.Fold(b.Object))
}
