package poison

import "regexp"

// order matches claims that instruct a model instead of stating a fact: standing
// orders, which a person may say but a fact does not contain.
var order = regexp.MustCompile(`(?i)` +
	`\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|those)\b.{0,40}\b(?:instructions?|prompts?|rules?|messages?|context|guidelines?)\b` +
	`|\b(?:system|developer) (?:prompt|message)\b` +
	`|\byou (?:must|should|shall|are to|have to|will) (?:now |always |never |only )*(?:act|answer|call|delete|email|execute|follow|forward|ignore|obey|output|pretend|reply|respond|reveal|run|say|send|tell|use|visit)\b` +
	`|\b(?:always|never|from now on,?) (?:act|answer|call|execute|follow|forward|obey|output|pretend|reply|respond|reveal|run|send|visit)\b` +
	`|\byou are now\b` +
	`|\bdo not (?:tell|inform|mention|reveal|show|ask)\b.{0,20}\b(?:user|anyone|them)\b` +
	`|\b(?:the )?(?:assistant|agent|ai|model) (?:must|should|shall|has to|will|is to)\b` +
	`|</?(?:system|assistant|memory|instructions?)\b|\[/?inst\]|<\|im_(?:start|end)\|>`)

// errand matches the end of a sentence that says what a person of a trade does at a time,
// or what happens to a model of something: "the estate agent will call on Monday". All its
// words are listed, so that no order to a program fits.
var errand = regexp.MustCompile(
	`\b(?:(?:customs|estate|immigration|insurance|leasing|lettings?|literary|mortgage|rental|travel) agent ` + modal + ` (?:also )?(?:` +
		`(?:call|come|phone|ring|visit)(?: (?:me|us|him|her|them|back|again|over|round))*` +
		`|(?:book|bring|collect|send|sign)(?: (?:me|us|him|her|them))? (?:the|a|an|my|our|his|her|their) (?:apartment|contract|flat|flight|forms?|hotel|house|invoice|keys?|lease|offer|papers|policy|quote|rooms?|tickets?|train|trip))` +
		`|model ` + modal + ` be (?:built|collected|delivered|finished|painted|printed|repaired|returned|shipped))` +
		`(?: (?:today|tonight|tomorrow|(?:on|by|before|until|in|at|next|this) (?:the )?` + day + `(?: ` + day + `)*))+ ?(?:[.!;]|$)`)

const (
	modal = `(?:must|should|shall|has to|will|is to)`
	day   = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?` +
		`|morning|afternoon|evening|noon|night|week|weekend|month|year|\d[\d:-]{0,9}(?:st|nd|rd|th)?|am|pm)`
)

// InspectClaim is a stricter [Inspect] for claims that a model extracted: a fact states
// something and contains no instructions.
func InspectClaim(claim string) Reason {
	if r := Inspect(claim); r != "" {
		return r
	}
	if order.MatchString(errand.ReplaceAllString(look(claim).plain, ".")) {
		return Ordering
	}
	return ""
}
