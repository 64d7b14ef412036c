package consolidate

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// resemblance is what the names of two entities have in common; nothing by default.
type resemblance struct {
	sure    bool // no doubt
	address bool // they share an address
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
	case same: // two given names may be of two people
		return resemblance{sure: !a.name.Single() || !enrich.IsNamed(a.Entity) && !enrich.IsNamed(b.Entity), why: "they have the same name"}
	case shortForms(a, b):
		return resemblance{why: "one name is a form of the other"}
	}
	if alias := doubtfulAlias(a, b); alias != "" {
		return resemblance{why: `both may be called "` + alias + `"`}
	}
	return resemblance{}
}

func isAddress(typ string) bool { return typ == schema.EntityEmail || typ == schema.EntityHandle }

// compatible reports whether entities of two types can be the same: a name of
// unknown type can be anything, and people have addresses.
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

// sharedAddress returns an e-mail address or handle that surely belongs to both.
func sharedAddress(a, b *namedEntity) string {
	var shared []string
	for alias, known := range a.aliases {
		if known.sure >= enrich.Sure && b.aliases[alias].sure >= enrich.Sure && strings.Contains(known.surface, "@") && !strings.Contains(known.surface, " ") {
			shared = append(shared, known.surface)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared[:min(1, len(shared))], "")
}

// shortForms reports whether two full names have one family name and forms of one
// given name: Vitya and Viktor Orlov, J. and Jane Okafor, Anna and Anna Maria Lund.
func shortForms(a, b *namedEntity) bool {
	x, y := a.name, b.name
	if x.Single() || y.Single() || x.Family() != y.Family() || !enrich.IsNamed(a.Entity) || !enrich.IsNamed(b.Entity) || x.Person() == 0 || y.Person() == 0 {
		return false
	}
	return x.Given() == y.Given() || slices.Contains(names.OtherForms(x.Given()), y.Given()) || initialOf(x.Given(), y.Given()) || initialOf(y.Given(), x.Given())
}

func initialOf(initial, given string) bool {
	initial = strings.TrimSuffix(initial, ".")
	return utf8.RuneCountInString(initial) == 1 && strings.HasPrefix(given, initial)
}

// doubtfulAlias returns an alias of both that one has with a confidence below
// [enrich.Sure]. Words of longer names are left out, since families share them.
func doubtfulAlias(a, b *namedEntity) string {
	var shared []string
	for alias, known := range a.aliases {
		other, both := b.aliases[alias]
		if both && min(known.sure, other.sure) < enrich.Sure && !partOfName(alias, a) && !partOfName(alias, b) {
			shared = append(shared, known.surface)
		}
	}
	slices.Sort(shared)
	return strings.Join(shared[:min(1, len(shared))], "")
}

func partOfName(alias string, e *namedEntity) bool {
	return !e.name.Single() && slices.Contains(e.name.Words, alias)
}

// pairNames finds the pairs of entities that are surely, or likely, the same. Pairs
// that were left to the host are left out. Each entity is merged once at a time;
// the next pass finds what follows from that.
func pairNames(all []*namedEntity, asked map[EntityPair]bool) (sure, likely []Proposal) {
	merged := make(map[int64]bool)

	for _, pair := range candidates(all) {
		from, into := pair[0], pair[1]
		p := MergeEntities{From: from.UID, Into: into.UID}
		by := likeness(from, into)
		if by.why == "" && bears(from, into) && onlyBearer(from, all) {
			by.why = "no other full name has this given name"
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

// maxSharing is how many entities may share a name for it to count. A name of more
// says nothing.
const maxSharing = 20

// candidates returns the pairs of entities that share a key, each once, with the
// one to keep second.
func candidates(all []*namedEntity) (pairs [][2]*namedEntity) {
	byKey := make(map[string][]*namedEntity)
	for _, e := range all {
		keys := map[string]bool{"alias " + text.Fold(e.Name): true}
		for alias := range e.aliases {
			keys["alias "+alias] = true
		}
		if enrich.IsNamed(e.Entity) {
			if !e.name.Single() {
				keys["family "+e.name.Family()] = true
			}
			for _, form := range append(slices.Clone(names.OtherForms(e.name.Given())), e.name.Given()) {
				keys["given "+form] = true
			}
		}
		for key := range keys {
			byKey[key] = append(byKey[key], e)
		}
	}
	seen := make(map[[2]int64]bool)
	for _, sharing := range byKey {
		if len(sharing) > maxSharing {
			continue
		}
		for i, a := range sharing {
			for _, b := range sharing[i+1:] {
				if from, into := direction(a, b); !seen[[2]int64{from.ID, into.ID}] {
					seen[[2]int64{from.ID, into.ID}] = true
					pairs = append(pairs, [2]*namedEntity{from, into})
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]*namedEntity) int {
		return cmp.Or(worth(b[1], a[1]), worth(b[0], a[0])) // pairs with the most important kept entity first
	})
	return pairs
}

// direction returns which of two entities would be merged into the other.
func direction(a, b *namedEntity) (from, into *namedEntity) {
	if worth(a, b) > 0 {
		return b, a
	}
	return a, b
}

// worth compares which entity to keep: a name before an address, a full name before
// a given name, then the one mentioned more often, then the older.
func worth(a, b *namedEntity) int {
	rank := func(e *namedEntity) int {
		switch {
		case isAddress(e.Type):
			return 0
		case e.name.Single():
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.MentionCount, b.MentionCount), cmp.Compare(b.ID, a.ID))
}

// bears reports whether a given name can be that of a full name.
func bears(single, full *namedEntity) bool {
	return single.name.Single() && (single.name.Title == "" || single.name.Kinship) && !full.name.Single() &&
		enrich.IsNamed(single.Entity) && full.Type == schema.EntityPerson && full.name.Person() > 0 &&
		(single.Type == schema.EntityPerson || single.name.Person() > 0) &&
		(full.name.Given() == single.name.Given() || slices.Contains(names.OtherForms(single.name.Given()), full.name.Given()))
}

// onlyBearer reports whether the given name fits the full name of exactly one entity.
func onlyBearer(single *namedEntity, all []*namedEntity) bool {
	n := 0
	for _, e := range all {
		if bears(single, e) {
			n++
		}
	}
	return n == 1
}
