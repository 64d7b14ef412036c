package claims

import (
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
)

// wordings maps other words for a predicate to its common name. Past forms ("lived_in",
// "used_to_work_at") are not among them.
var wordings = wordingsOf(map[string]string{
	"lives_in":   "live_in living_in is_living_in resides_in reside_in resident_of residence place_of_residence moved_to has_moved_to relocated_to moved_in_to based_in is_based_in settled_in lives home_city current_city city",
	"works_at":   "work_at works_for work_for working_at working_for is_working_at employed_at employed_by is_employed_by employer has_employer company joined job_at has_job_at",
	"works_as":   "work_as working_as is_working_as employed_as occupation has_occupation profession has_profession job_title has_job_title job has_job position role",
	"married_to": "is_married_to married spouse has_spouse husband has_husband wife has_wife",
	"partner":    "has_partner partner_is girlfriend has_girlfriend boyfriend has_boyfriend dating is_dating in_relationship_with engaged_to is_engaged_to fiance fiancee",
	"email":      "has_email email_address has_email_address email_is e-mail",
	"phone":      "has_phone phone_number has_phone_number phone_is mobile mobile_number telephone",
	"address":    "has_address home_address lives_at street_address postal_address",
	"name":       "has_name is_called is_named name_is full_name called",
	"age":        "has_age is_aged is_years_old years_old",
	"birthday":   "has_birthday birthday_is birthday_on date_of_birth birth_date born_on was_born_on",
	"home_town":  "hometown has_hometown is_from from comes_from grew_up_in born_in was_born_in birthplace place_of_birth",
})

// OneOfSeveral reports whether a stored subject may be one of several people: "the user's
// daughter". The columns of a claim do not hold which one.
func OneOfSeveral(subject string) bool {
	at := strings.LastIndex(subject, "'s ")
	return at >= 0 && said.OneOfSeveral(text.Fold(subject[at+len("'s "):]))
}

// Beside is [said.Beside].
func Beside(statement string) bool { return said.Beside(statement) }

func wordingsOf(lists map[string]string) map[string]string {
	m := make(map[string]string)
	for name, list := range lists {
		m[name] = name
		for w := range strings.FieldsSeq(list) {
			m[w] = name
		}
	}
	return m
}

// Predicate normalises a predicate: folded, in snake_case, and in its canonical
// wording.
func Predicate(predicate string) string {
	p := strings.Join(strings.FieldsFunc(text.Fold(predicate), func(r rune) bool { return r == '_' || unicode.IsSpace(r) }), "_")
	if name, ok := wordings[p]; ok {
		return name
	}
	return p
}
