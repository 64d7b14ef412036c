package enrich

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
	text string // as written
	role string // "boss", folded
	your bool   // "your boss"
	// holder is the name that the text itself gives to the role, as in "my boss
	// Karim" or "Karim is my boss"; nil if it gives none.
	holder     *text.Mention
	confidence float64 // in holder
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

// rolePattern matches at the start of a word that maybePossessive accepts. Its
// groups are 1, the possessive, and 2, the role.
var rolePattern = regexp.MustCompile(`(?i)^((?:my|our|your|mein|meine|meiner|meinem|unser|unsere|mi|nuestra|nuestro|мой|моя|моего|моей)) ` +
	roleQualities + `(` + roleWords + `)(?:$|[^\p{L}\p{N}'’-])`)

// Words between a role and the name it is given, and between a name and the role
// it is given, as gap returns them.
var (
	roleThenName = strings.Fields(`, is : = ( – - (named) heisst ist es se+llama is+called is+named 's named called , это`)
	nameThenRole = strings.Fields(`, is who+is ist es 's – - (`)
)

// rolesIn finds roles, and the names that the text gives them beside.
func rolesIn(content string, mentions []text.Mention) (roles []roleMention) {
	names := properNames(mentions)
	for from := 0; from < len(content) && len(roles) < maxRoles; {
		_, size := utf8.DecodeRuneInString(content[from:])
		var at []int
		if maybePossessive(content[from:]) && beginsWord(content, from) {
			at = rolePattern.FindStringSubmatchIndex(content[from:])
		}
		if at == nil {
			from += size
			continue
		}
		start, end := from+at[2], from+at[5]
		possessive := strings.ToLower(content[start : from+at[3]])
		role := roleMention{text: content[start:end], role: text.Fold(content[from+at[4] : end]), your: possessive == "your"}
		role.holder, role.confidence = nameBeside(content, names, start, end)
		roles = append(roles, role)
		from = end
	}
	return roles
}

// maybePossessive reports whether a text begins like one of the possessives of
// rolePattern. Trying the pattern at every word costs ten times as much.
func maybePossessive(s string) bool {
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

// nameBeside finds the name that a text gives to the role at start:end, and how
// sure that is.
func nameBeside(content string, names []text.Mention, start, end int) (*text.Mention, float64) {
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
			if slices.Contains(roleThenName, between) && (between != "," || endsPhrase(content[m.End:])) {
				return m, 0.85 // my boss is Karim; my boss, Karim, …
			}
			break
		}
	}
	for i := range slices.Backward(names) {
		m := &names[i]
		if m.End <= start {
			between := gap(content[m.End:start])
			if slices.Contains(nameThenRole, between) && (between != "," || endsPhrase(content[end:])) {
				return m, 0.8 // Karim is my boss; Karim, my boss
			}
			break
		}
	}
	return nil, 0
}

// gap normalises the text between two names: small letters, words joined by +.
// A long one connects nothing and is returned as it is.
func gap(s string) string {
	if len(s) > 256 {
		return s
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), "+")
}

// endsPhrase reports whether an apposition ends here. In "Karim, my sister and
// Bob", a list, it does not.
func endsPhrase(rest string) bool {
	return rest == "" || strings.ContainsAny(rest[:1], ".,;:!?)\n")
}

// role records who holds a role, or links the memory to the known holder.
//
// "My boss" depends on the speaker. The user's roles are aliases as they stand
// ("my boss"). In a chat of several people each speaker's are aliases under the
// speaker's name as well ("Tom's boss"), and another speaker's "my boss" means
// somebody else.
func (r *resolver) role(ctx context.Context, role roleMention, byStart map[int]*schema.Entity) error {
	speaker := strings.TrimSpace(r.memory.Speaker)
	if r.memory.Role != "user" && r.memory.Role != "" {
		if !role.your {
			return nil // an assistant has no boss
		}
		speaker, role.your = "", false
	}
	plain, owned := "my "+role.role, speaker+"'s "+role.role
	if role.holder != nil && !role.your {
		e := byStart[role.holder.Start]
		if e == nil || e.Type == schema.EntityPlace {
			return nil
		}
		if speaker != "" {
			if err := r.alias(ctx, e, owned, role.confidence); err != nil {
				return err
			}
		}
		return r.alias(ctx, e, plain, role.confidence)
	}
	alias, limit := plain, byPart
	switch {
	case role.your:
		limit = Ambiguous // the text does not say who is addressed
	case speaker != "":
		alias = owned
	}
	known, err := r.known(ctx, alias)
	if err != nil || len(known) == 0 {
		return err
	}
	confidence := min(known[0].confidence, limit)
	if len(known) > 1 {
		confidence = Ambiguous
	}
	return r.tx.LinkEntity(ctx, r.memory.ID, known[0].entity.ID, role.text, confidence)
}

// otherNames are words between two names of the same entity, as gap returns them.
var otherNames = strings.Fields(`aka a.k.a. ,+aka (aka also+known+as ,+also+known+as (also+known+as ,+formerly (formerly formerly formerly+known+as
	,+formerly+known+as ,+nee (nee ,+née (née short+for ,+short+for (short+for ,+alias`)

var renames = regexp.MustCompile(`(?i)\b(?:rename|renamed|renames|renaming)\s+["“']?$`)

// learnAliases records the second name that a text gives: "X, formerly Y", "we
// rename X to Y". One of the two must be new; two known names stay two entities.
//
// It ignores untrusted memories and those of other agents: they could give a
// person's entity a name that later mentions would resolve to.
func (r *resolver) learnAliases(ctx context.Context, mentions []text.Mention) error {
	if r.memory.Trust < schema.MaxTrust && r.memory.Origin != schema.OriginImport {
		return nil
	}
	names := properNames(mentions)
	for i, tries := 1, 0; i < len(names) && tries < maxRoles; i++ {
		name, other := names[i-1], names[i]
		between := gap(r.memory.Content[name.End:other.Start])
		renamed := (between == "to" || between == "as" || between == "into") && renames.MatchString(r.memory.Content[max(0, name.Start-256):name.Start])
		if !renamed && !slices.Contains(otherNames, between) {
			continue
		}
		tries++
		known, err := r.known(ctx, other.Text)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			name, other = other, name
			if known, err = r.known(ctx, other.Text); err != nil {
				return err
			}
		}
		if len(known) > 0 || text.Fold(name.Text) == text.Fold(other.Text) {
			continue
		}
		found, err := r.resolve(ctx, name)
		if err != nil {
			return err
		}
		if found.entity == nil {
			continue
		}
		if err := r.alias(ctx, found.entity, other.Text, byPart); err != nil {
			return err
		}
	}
	return nil
}
