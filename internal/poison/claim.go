package poison

import (
	"regexp"
	"strings"
)

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

// oneOff matches what a person of that trade, or somebody's agent or assistant, does, and
// what happens to a model of something: "my travel agent will book it", "the model must be
// shipped by May". It ends with the word that follows.
var oneOff = regexp.MustCompile(`(?i)` +
	`\b(?:booking|cleaning|customs|estate|immigration|insurance|leasing|letting|lettings|literary|mortgage|rental|sales|shipping|ticket|transfer|travel) agent (?:must|should|shall|has to|will|is to)\b(?:,? [a-z]+)?` +
	`|\b(?:my|our|his|her|their) (?:assistant|agent) (?:has to|will|is to)\b(?:,? [a-z]+)?` +
	`|\bmodel (?:must|should|shall|has to|will|is to) be [a-z]+ed\b(?:,? [a-z]+)?`)

// standing matches the end of what is an order for all time, or for a program, after all.
var standing = regexp.MustCompile(`(?i)\b(?:always|never|only|now|also|first|ignore|disregard|obey|override|pretend|reveal|output|execute|act|to|that|(?:must|should|shall) not)$`)

// withoutOneOffs returns a claim without what [oneOff] matches and is no standing order. The
// word that follows stays: another order may begin with it.
func withoutOneOffs(claim string) string {
	return oneOff.ReplaceAllStringFunc(claim, func(s string) string {
		if standing.MatchString(s) {
			return s
		}
		return s[strings.LastIndexByte(s, ' '):]
	})
}

// InspectClaim is a stricter [Inspect] for claims that a model extracted: a fact states
// something and contains no instructions.
func InspectClaim(claim string) Reason {
	if r := Inspect(claim); r != "" {
		return r
	}
	if order.MatchString(withoutOneOffs(look(claim).plain)) {
		return Ordering
	}
	return ""
}
