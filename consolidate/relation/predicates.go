package relation

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// objectKind is the kind of object of a functional predicate. It determines when
// two objects exclude each other.
type objectKind int

const (
	named   objectKind = iota + 1 // a person, an employer: "Acme", not "a bank"
	place                         // a town or a region, which may contain each other
	role                          // a word or two: "nurse"
	value                         // a number, compared as a whole
	contact                       // a value of which people have one for work, one at home
)

// Functional are the predicates with one object at a time, see [claims.Predicate].
var Functional = map[string]objectKind{
	"lives_in": place, "home_town": place,
	"works_at": named, "married_to": named, "partner": named, "name": named,
	"works_as": role,
	"email":    contact, "phone": contact, "address": contact, "age": value, "birthday": value,
}

// Additive are predicates whose objects add up: liking tea does not end liking
// coffee.
var Additive = text.WordSet(`is are was has have had likes loves enjoys prefers dislikes hates wants needs avoids owns knows did does plans
	will visited went_to traveled_to travelled_to attended met saw read reads watched watches plays speaks cooks made bought
	has_child has_children has_son has_daughter has_sibling has_brother has_sister has_friend friend_of has_pet has_hobby hobby
	interested_in is_interested_in allergic_to is_allergic_to supports uses said mentioned thinks believes feels remembers
	studies studied learned learns works_on worked_on participates_in volunteers_at member_of is_member_of favorite favourite`)

// ClaimKey is the folded subject and predicate of a claim, and its project if it is about one.
// Claims of one key can contradict each other.
type ClaimKey struct{ Subject, Predicate, project string }

// KeyOf returns the key of a claim; ok is false without a subject or predicate.
func KeyOf(m *schema.Memory) (k ClaimKey, ok bool) {
	k = ClaimKey{text.Fold(m.Subject), claims.Predicate(m.Predicate), m.Attributes[schema.AttrProject]}
	return k, k.Subject != "" && k.Predicate != ""
}

// Negated reports whether a claim says that something is not, or no longer, so.
func Negated(m *schema.Memory) bool { return grounding.Denial.MatchString(m.Content) }

// IsPlan reports whether a claim is a plan.
func IsPlan(m *schema.Memory) bool { return m.Attributes[schema.AttrTemporal] == schema.TemporalPlan }

// Exclusive reports whether two claims of one functional predicate surely cannot
// both hold at one time. "Oslo" and "Oslo, Norway" can, "Acme" and "a bank" can, and so can
// what one has also, or at weekends; plans and denials exclude nothing. Doubtful pairs are left
// to the model.
func Exclusive(a, b *schema.Memory) bool {
	kind := Functional[claims.Predicate(a.Predicate)]
	if kind == 0 || Negated(a) || Negated(b) || IsPlan(a) || IsPlan(b) {
		return false
	}
	x, y := text.Fold(a.Object), text.Fold(b.Object)
	if x == "" || y == "" || grounding.HoldsWord(x, y) || grounding.HoldsWord(y, x) {
		return false
	}
	switch {
	case kind == value:
		return plain(x) != plain(y)
	case claims.Beside(a.Content), claims.Beside(b.Content):
		return false
	case kind == contact:
		return plain(x) != plain(y) && usesOf(a) == usesOf(b)
	}
	if shareWord(x, y) {
		return false
	}
	switch kind {
	case named:
		return isName(a.Object) && isName(b.Object)
	case place:
		return isName(a.Object) && isName(b.Object) && names.IsRegion(x) == names.IsRegion(y)
	default:
		return true
	}
}

// uses match words for what an address or a number is for, in folded text.
var uses = [...]*regexp.Regexp{
	regexp.MustCompile(`\b(?:work|office|business|company|job|trabajo|oficina|empresa|laboral|profesional)\b|\b(?:buro|arbeit|geschaft|dienst(?:lich|num|tel|mail|e-|adr|handy)|firmen|beruf)\pL*|工作|公司|办公|辦公|单位`),
	regexp.MustCompile(`\b(?:home|private|personal|zuhause|daheim|casa)\b|\b(?:privat|personlich|privad)\pL*|私人|个人|個人|家里|家庭|住宅`),
	regexp.MustCompile(`\b(?:mobile|cell|cellphone|cellular|movil|celular)\b|\b(?:handy|mobil)\pL*|手机|手機`),
	regexp.MustCompile(`\b(?:landline|fijo)\b|\bfestnetz\pL*|座机|座機|固话|固定电话`),
}

// usesOf returns which of the uses a claim names.
func usesOf(m *schema.Memory) (named [len(uses)]bool) {
	folded := text.Fold(strings.ReplaceAll(m.Predicate, "_", " ") + " " + m.Content)
	for i, use := range uses {
		named[i] = use.MatchString(folded)
	}
	return named
}

// plain removes spaces and punctuation from a value.
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
	return slices.ContainsFunc(text.Terms(y), func(t string) bool { return in[t] })
}

// isName reports whether an object begins with a capital, or in a script without
// case, after an article.
func isName(object string) bool {
	for _, r := range strings.TrimPrefix(object, "the ") {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return !unicode.IsLower(r)
		}
	}
	return false
}

func SameObject(a, b *schema.Memory) bool {
	return plain(text.Fold(a.Object)) == plain(text.Fold(b.Object))
}
