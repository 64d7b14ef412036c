package grounding

import "regexp"

// preference matches statements of liking, wanting and avoiding. "like" alone
// also compares ("looks like rain"), so it counts only after who likes.
var preference = regexp.MustCompile(`(?i)\b(?:prefers?|likes|loves?|adores?|enjoys?|hates?|dislikes?|detests?|favou?rites?|can(?:'|’)?t stand|cannot stand|` +
	`would rather|(?:i|we|they|you|doesn(?:'|’)t|don(?:'|’)t|does not|do not|to|really|would) like|never (?:eats?|drinks?)|avoids?)\b`)

// IsPreference tells a preference from any other claim by its verb. Where the
// wording leaves a doubt it is none: facts and preferences fade and are found
// alike.
func IsPreference(content string) bool { return preference.MatchString(content) }

// instruction matches texts that tell a model what to do rather than what is
// so: the usual openings of prompt injection and standing orders.
var instruction = regexp.MustCompile(`(?i)` +
	`\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|those)\b.{0,40}\b(?:instructions?|prompts?|rules?|messages?|context|guidelines?)\b` +
	`|\b(?:system|developer) (?:prompt|message)\b` +
	`|\byou (?:must|should|shall|are to|have to|will) (?:now |always |never |only )*(?:act|answer|call|delete|email|execute|follow|forward|ignore|obey|output|pretend|reply|respond|reveal|run|say|send|tell|use|visit)\b` +
	`|\b(?:always|never|from now on,?) (?:act|answer|call|execute|follow|forward|obey|output|pretend|reply|respond|reveal|run|send|visit)\b` +
	`|\byou are now\b` +
	`|\bdo not (?:tell|inform|mention|reveal|show|ask)\b.{0,20}\b(?:user|anyone|them)\b` +
	`|\b(?:the )?(?:assistant|agent|ai|model) (?:must|should|shall|has to|will|is to)\b` +
	`|</?(?:system|assistant|memory|instructions?)\b|\[/?inst\]|<\|im_(?:start|end)\|>`)

// Denial matches the words by which a text denies.
var Denial = regexp.MustCompile(`(?i)\b(?:not|no|never|none|nobody|without|stopped|quit|former|formerly|no longer)\b|n(?:'|’)t\b|不|没|別|别`)

// ReadsLikeInstruction reports whether a text addresses the model instead of
// stating a claim. It is a coarse sieve: what it catches is kept, but set aside.
func ReadsLikeInstruction(content string) bool { return instruction.MatchString(content) }
