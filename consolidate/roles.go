package consolidate

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// roleMention is a "my boss" in a text.
type roleMention struct {
	your bool   // "your boss"
	role string // "boss", folded
	// says is the name that the text itself gives to the role, as in "my boss
	// Karim" or "Karim is my boss"; nil when it is only mentioned.
	says *text.Mention
	sure float64
	text string // as written
}

const (
	roleWords = `boss|manager|supervisor|team lead|assistant|colleague|coworker|co-worker|client|landlord|landlady|teacher|tutor|coach|trainer|doctor|dentist|therapist|lawyer|accountant|` +
		`sister|brother|mother|father|mum|mom|mama|dad|papa|wife|husband|partner|fianc[ée]e?|girlfriend|boyfriend|son|daughter|niece|nephew|aunt|uncle|cousin|` +
		`grandmother|grandfather|grandma|grandpa|granny|friend|best friend|flatmate|roommate|housemate|neighbou?r|ex|dog|cat|` +
		`chef|chefin|schwester|bruder|mutter|vater|frau|mann|freund|freundin|nachbar|nachbarin|tochter|sohn|` +
		`jefe|jefa|hermana|hermano|madre|padre|mujer|marido|esposa|esposo|novia|novio|amiga|amigo|hija|hijo|prima|primo|vecina|vecino|` +
		`начальник|начальница|сестра|брат|мама|папа|жена|муж|подруга|друг|дочь|сын|сосед|соседка`
	roleQualities = `(?:older |younger |big |little |new |old |former |ex-|twin )?`
)

// rolePattern stands at the beginning of a word that mayOwn. Its groups: 1 whose, 2 the role.
var rolePattern = regexp.MustCompile(`(?i)^((?:my|our|your|mein|meine|meiner|meinem|unser|unsere|mi|nuestra|nuestro|мой|моя|моего|моей)) ` +
	roleQualities + `(` + roleWords + `)(?:$|[^\p{L}\p{N}'’-])`)

var (
	// What may stand between a role and the name it is given, and between a
	// name and the role it is given.
	roleThenName = words(`, is : = ( – - (named) heisst ist es se+llama is+called is+named 's named called , это`)
	nameThenRole = words(`, is who+is ist es 's – - (`)
)

// rolesIn finds roles, and the names they are given in the same breath.
func rolesIn(content string, found []text.Mention) (roles []roleMention) {
	names := slices.DeleteFunc(slices.Clone(found), func(m text.Mention) bool { return m.Type != text.MentionName })
	slices.SortFunc(names, func(a, b text.Mention) int { return a.Start - b.Start })
	for from := 0; from < len(content) && len(roles) < maxRoles; {
		_, size := utf8.DecodeRuneInString(content[from:])
		var at []int
		if mayOwn(content[from:]) && beginsWord(content, from) {
			at = rolePattern.FindStringSubmatchIndex(content[from:])
		}
		if at == nil {
			from += size
			continue
		}
		start, end := from+at[2], from+at[5]
		whose := strings.ToLower(content[start : from+at[3]])
		role := roleMention{your: whose == "your", role: text.Fold(content[from+at[4] : end]), text: content[start:end]}
		role.says, role.sure = namedBeside(content, names, start, end)
		roles = append(roles, role)
		from = end
	}
	return roles
}

// mayOwn reports whether a text begins like one of rolePattern's words for "my":
// to try the pattern wherever a word begins costs ten times as much.
func mayOwn(s string) bool {
	if len(s) < 2 {
		return false
	}
	second := s[1] | 0x20 // in small letters
	switch s[0] | 0x20 {
	case 'm':
		return second == 'y' || second == 'i' || second == 'e'
	case 'o':
		return second == 'u'
	case 'y':
		return second == 'o'
	case 'u':
		return second == 'n'
	case 'n':
		return second == 'u'
	}
	return strings.HasPrefix(s, "м") || strings.HasPrefix(s, "М")
}

func beginsWord(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	return at == 0 || !unicode.IsLetter(before) && !unicode.IsNumber(before)
}

// namedBeside finds the name that a text gives to the role at start:end.
func namedBeside(content string, names []text.Mention, start, end int) (*text.Mention, float64) {
	for i := range names {
		m := &names[i]
		if start < m.Start && m.Start < end && end < m.End {
			return m, 0.9 // mein Chef Karim: a capital makes the role part of the name
		}
		if m.Start > end {
			between := gap(content[end:m.Start])
			if between == "" {
				return m, 0.9 // my boss Karim
			}
			if roleThenName[between] && (between != "," || endsPhrase(content[m.End:])) {
				return m, 0.85 // my boss is Karim; my boss, Karim, …
			}
			break
		}
	}
	for i := range slices.Backward(names) {
		m := &names[i]
		if m.End <= start {
			between := gap(content[m.End:start])
			if nameThenRole[between] && (between != "," || endsPhrase(content[end:])) {
				return m, 0.8 // Karim is my boss; Karim, my boss
			}
			break
		}
	}
	return nil, 0
}

// gap reads what stands between two names; what is long joins nothing, and is
// left as it is.
func gap(s string) string {
	if len(s) > 256 {
		return s
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), "+")
}

// endsPhrase reports that an apposition closes here; "Karim, my sister and
// Bob" is a list.
func endsPhrase(rest string) bool {
	return rest == "" || strings.ContainsAny(rest[:1], ".,;:!?)\n")
}

// role learns who holds a role, or links the memory to whom it was said to be.
//
// "My boss" is said by somebody. The user's roles are aliases as they stand;
// in a chat of several people each speaker's go under their name besides
// ("Tom's boss"), and another speaker's "my boss" does not mean the same.
func (r *resolver) role(ctx context.Context, role roleMention, byStart map[int]*schema.Entity) error {
	speaker := strings.TrimSpace(r.memory.Speaker)
	if r.memory.Role != "user" && r.memory.Role != "" {
		if !role.your {
			return nil // an assistant has no boss
		}
		speaker, role.your = "", false
	}
	plain, owned := "my "+role.role, speaker+"'s "+role.role
	if role.says != nil && !role.your {
		e := byStart[role.says.Start]
		if e == nil || e.Type == schema.EntityPlace {
			return nil
		}
		if speaker != "" {
			if err := r.alias(ctx, e, owned, role.sure); err != nil {
				return err
			}
		}
		return r.alias(ctx, e, plain, role.sure)
	}
	alias, most := plain, byPart
	switch {
	case role.your:
		most = ambiguous // the one who is spoken to is not known
	case speaker != "":
		alias = owned
	}
	known, err := r.known(ctx, alias)
	if err != nil || len(known) == 0 {
		return err
	}
	confidence := min(known[0].confidence, most)
	if len(known) > 1 {
		confidence = ambiguous
	}
	return r.tx.LinkEntity(ctx, r.memory.ID, known[0].entity.ID, role.text, confidence)
}

// otherNames are the words between two names that make them one's.
var otherNames = words(`aka a.k.a. ,+aka (aka also+known+as ,+also+known+as (also+known+as ,+formerly (formerly formerly formerly+known+as
	,+formerly+known+as ,+nee (nee ,+née (née short+for ,+short+for (short+for ,+alias`)

var renames = regexp.MustCompile(`(?i)\b(?:rename|renamed|renames|renaming)\s+["“']?$`)

// learnAliases records the second name that a text gives: "X, formerly Y", "we
// rename X to Y". Only a name that is new is taken; two that are known stay
// two. Nobody learns a second name from what nobody vouches for, nor from
// another's memory: whoever is named later would bear it.
func (r *resolver) learnAliases(ctx context.Context, found []text.Mention) error {
	if r.memory.Trust < schema.MaxTrust && r.memory.Origin != schema.OriginImport {
		return nil
	}
	names := slices.DeleteFunc(slices.Clone(found), func(m text.Mention) bool { return m.Type != text.MentionName })
	slices.SortFunc(names, func(a, b text.Mention) int { return a.Start - b.Start })
	for i, tries := 1, 0; i < len(names) && tries < maxRoles; i++ {
		one, other := names[i-1], names[i]
		between := gap(r.memory.Content[one.End:other.Start])
		renamed := (between == "to" || between == "as" || between == "into") && renames.MatchString(r.memory.Content[max(0, one.Start-256):one.Start])
		if !renamed && !otherNames[between] {
			continue
		}
		tries++
		known, err := r.known(ctx, other.Text)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			one, other = other, one
			if known, err = r.known(ctx, other.Text); err != nil {
				return err
			}
		}
		if len(known) > 0 || text.Fold(one.Text) == text.Fold(other.Text) {
			continue
		}
		kept, err := r.resolve(ctx, one)
		if err != nil {
			return err
		}
		if kept.entity == nil { // too unsure to be anybody's name
			continue
		}
		if err := r.alias(ctx, kept.entity, other.Text, byPart); err != nil {
			return err
		}
	}
	return nil
}
