package consolidate

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// resemblance is what two entities have in common; the zero value is nothing.
type resemblance struct {
	sure    bool // beyond doubt
	address bool // they share one
	why     string
}

// likeness compares the names of two entities.
func likeness(a, b *namedEntity) resemblance {
	if !compatible(a.Type, b.Type) {
		return resemblance{}
	}
	same := text.Fold(a.Name) == text.Fold(b.Name)
	if address := sharedAddress(a, b); address != "" {
		mailbox := isAddress(a.Type) || isAddress(b.Type)
		return resemblance{sure: same || mailbox || shortForms(a, b), address: true, why: "both are known by " + address}
	}
	switch {
	case same: // two Toms may be two
		return resemblance{sure: !a.name.single() || !isNamed(a.Entity) && !isNamed(b.Entity), why: "they have the same name"}
	case shortForms(a, b):
		return resemblance{why: "one name is a form of the other"}
	}
	if alias := doubtfulAlias(a, b); alias != "" {
		return resemblance{why: `both may be called "` + alias + `"`}
	}
	return resemblance{}
}

func isAddress(typ string) bool { return typ == schema.EntityEmail || typ == schema.EntityHandle }

// compatible reports that entities of these types can be one: a name is not
// known to be anything else, and people have addresses.
func compatible(a, b string) bool {
	named := func(typ string) bool { return typ == schema.EntityPerson || typ == schema.EntityName }
	form := func(typ string) bool {
		return isAddress(typ) || typ == schema.EntityURL || typ == schema.EntityHashtag
	}
	switch {
	case a == b:
		return true
	case isAddress(a):
		return isAddress(b) || named(b)
	case isAddress(b):
		return named(a)
	}
	return a == schema.EntityName && !form(b) || b == schema.EntityName && !form(a)
}

// sharedAddress is an e-mail address or handle that both are surely known by.
func sharedAddress(a, b *namedEntity) string {
	var shared []string
	for alias, known := range a.aliases {
		if known.sure >= Sure && b.aliases[alias].sure >= Sure && strings.Contains(known.surface, "@") && !strings.Contains(known.surface, " ") {
			shared = append(shared, known.surface)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared[:min(1, len(shared))], "")
}

// shortForms reports two full names of people with one family name, and given
// names that are forms of one: Vitya and Viktor Orlov, J. and Jane Okafor, Anna
// and Anna Maria Lund.
func shortForms(a, b *namedEntity) bool {
	x, y := a.name, b.name
	if x.single() || y.single() || x.family() != y.family() || !isNamed(a.Entity) || !isNamed(b.Entity) || x.personhood() == 0 || y.personhood() == 0 {
		return false
	}
	return x.given() == y.given() || slices.Contains(otherForms(x.given()), y.given()) || initialOf(x.given(), y.given()) || initialOf(y.given(), x.given())
}

func initialOf(initial, given string) bool {
	initial = strings.TrimSuffix(initial, ".")
	return utf8.RuneCountInString(initial) == 1 && strings.HasPrefix(given, initial)
}

// doubtfulAlias is a name of both that one of them has with a confidence below
// [Sure]. A word of a longer name is none: it is shared by families.
func doubtfulAlias(a, b *namedEntity) string {
	var shared []string
	for alias, known := range a.aliases {
		other, both := b.aliases[alias]
		if both && min(known.sure, other.sure) < Sure && !partOfName(alias, a) && !partOfName(alias, b) {
			shared = append(shared, known.surface)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared[:min(1, len(shared))], "")
}

func partOfName(alias string, e *namedEntity) bool {
	return !e.name.single() && slices.Contains(e.name.words, alias)
}

// pairNames finds the entities that are surely, or likely, one. Pairs that were
// left to the host stay left. An entity is merged once at a time: what follows
// from that is found the next time.
func pairNames(all []*namedEntity, asked map[EntityPair]bool) (sure, likely []Proposal) {
	merged := make(map[int64]bool)

	for _, pair := range candidates(all) {
		from, into := pair[0], pair[1]
		p := MergeEntities{From: from.UID, Into: into.UID}
		by := likeness(from, into)
		if by.why == "" && bears(from, into) && onlyBearer(from, all) {
			by.why = "nobody else of this given name is known by a full name"
		}
		if p.Why = by.why; p.Why == "" || from.Protected || into.Protected || asked[EntityPair{from.UID, into.UID}] {
			continue
		}
		switch {
		case !by.sure:
			likely = append(likely, p)
		case !merged[from.ID] && !merged[into.ID]:
			merged[from.ID] = true
			sure = append(sure, p)
		}
	}
	return sure, likely
}

// most is how many entities may share a name for it to be looked at: one that
// more have says nothing.
const most = 20

// candidates are the pairs of entities that share a word to be compared by,
// each once, the one to be kept second, in order.
func candidates(all []*namedEntity) (pairs [][2]*namedEntity) {
	shelves := make(map[string][]*namedEntity)
	for _, e := range all {
		keys := map[string]bool{"alias " + text.Fold(e.Name): true}
		for alias := range e.aliases {
			keys["alias "+alias] = true
		}
		if isNamed(e.Entity) {
			if !e.name.single() {
				keys["family "+e.name.family()] = true
			}
			for _, form := range append(slices.Clone(otherForms(e.name.given())), e.name.given()) {
				keys["given "+form] = true
			}
		}
		for key := range keys {
			shelves[key] = append(shelves[key], e)
		}
	}
	seen := make(map[[2]int64]bool)
	for _, shelf := range shelves {
		if len(shelf) > most {
			continue
		}
		for i, a := range shelf {
			for _, b := range shelf[i+1:] {
				if from, into := direction(a, b); !seen[[2]int64{from.ID, into.ID}] {
					seen[[2]int64{from.ID, into.ID}] = true
					pairs = append(pairs, [2]*namedEntity{from, into})
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]*namedEntity) int {
		return cmp.Or(worth(b[1], a[1]), worth(b[0], a[0])) // what is kept of many first
	})
	return pairs
}

// direction says which of two would be merged into the other.
func direction(a, b *namedEntity) (from, into *namedEntity) {
	if worth(a, b) > 0 {
		return b, a
	}
	return a, b
}

// worth compares which entity is rather kept. A name is before an address, a
// full name before a given one, then what is mentioned more, then what was known
// first.
func worth(a, b *namedEntity) int {
	rank := func(e *namedEntity) int {
		switch {
		case isAddress(e.Type):
			return 0
		case e.name.single():
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.MentionCount, b.MentionCount), cmp.Compare(b.ID, a.ID))
}

// bears reports that a single given name can be a full name's.
func bears(single, full *namedEntity) bool {
	return single.name.single() && (single.name.title == "" || single.name.kin) && !full.name.single() &&
		isNamed(single.Entity) && full.Type == schema.EntityPerson && full.name.personhood() > 0 &&
		(single.Type == schema.EntityPerson || single.name.personhood() > 0) &&
		(full.name.given() == single.name.given() || slices.Contains(otherForms(single.name.given()), full.name.given()))
}

// onlyBearer reports that exactly one entity bears a given name in full.
func onlyBearer(single *namedEntity, all []*namedEntity) bool {
	n := 0
	for _, e := range all {
		if bears(single, e) {
			n++
		}
	}
	return n == 1
}
