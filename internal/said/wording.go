package said

import (
	"slices"
	"strings"
)

// wordings are the words in which a predicate is reported and that say no more than
// the predicate.
var wordings = map[string]string{
	"lives_in": "live lives living resides residing based located home vive wohnt lebt", "works_at": "work works working employed employee job employer company trabaja arbeitet",
	"works_as": "work works working job profession occupation employed", "allergic_to": "allergic allergy allergies allergisch allergie alérgico alérgica alergia",
	"cannot_eat": "eat eats", "eats": "eat eats", "does_not_drink": "drink drinks", "diet": "diet follows eats",
	"likes": "like likes love loves enjoy enjoys fond fan", "dislikes": "dislike dislikes hate hates like", "prefers": "prefer prefers preference",
	"has_pet": "own owns pet", "owns": "own owns", "spouse": "married husband wife spouse", "partner": "partner dating relationship",
	"birthday": "birthday born birth date", "age": "age aged years old", "name": "name named called", "nickname": "nickname called goes",
	"speaks": "speak speaks language languages", "learns": "learn learns learning studies studying", "studies": "study studies studying",
	"from": "from comes originally", "home_town": "home town hometown", "born_in": "born", "grew_up_in": "grew up raised",
	"schedule": "schedule scheduled", "has_condition": "condition", "uses": "use uses using", "email": "email e-mail address", "phone_number": "phone number",
}

// Wording returns the words by which a report may differ from what was said without
// saying more: those of its predicate and subject, and of its object where the tables
// know it as the same.
func Wording(c, reported Claim) []string {
	var words []string
	if c.Predicate == reported.Predicate {
		words = append(words, wordings[c.Predicate], strings.ReplaceAll(c.Predicate, "_", " "))
	}
	if c.Subject == reported.Subject {
		words = append(words, c.Subject)
		thing := strings.TrimPrefix(c.Subject, "my ")
		for phrase, meanings := range nouns {
			if slices.ContainsFunc(meanings, func(n noun) bool { return n.canon == thing }) {
				words = append(words, phrase)
			}
		}
	}
	if within(reported.Object, c.Object) {
		words = append(words, reported.Object)
	}
	return words
}

// within reports whether an object has no content word that the other lacks.
func within(object, of string) bool {
	all := contentWords(of)
	return !slices.ContainsFunc(contentWords(object), func(w string) bool { return !slices.Contains(all, w) })
}
