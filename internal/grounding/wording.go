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

// Denial matches the words by which a text denies.
var Denial = regexp.MustCompile(`(?i)\b(?:not|no|never|none|nobody|without|stopped|quit|former|formerly|no longer|cannot)\b|n(?:'|’)t\b|不|没|別|别`)
