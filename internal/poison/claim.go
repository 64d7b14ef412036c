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

// InspectClaim is a stricter [Inspect] for claims that a model extracted: a fact states
// something and contains no instructions.
func InspectClaim(claim string) Reason {
	if r := Inspect(claim); r != "" {
		return r
	}
	if order.MatchString(look(claim).plain) {
		return Ordering
	}
	return ""
}
