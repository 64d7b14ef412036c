package grounding

import "github.com/ebbmem/ebb/internal/prefilter"

// preference matches statements of liking, wanting and avoiding. "like" also compares
// ("looks like rain"), so it counts only after a person.
var preference = prefilter.New(`(?i)\b(?:prefers?|likes|loves?|adores?|enjoys?|hates?|dislikes?|detests?|favou?rites?|can(?:'|’)?t stand|cannot stand|` +
	`would rather|(?:i|we|they|you|doesn(?:'|’)t|don(?:'|’)t|does not|do not|to|really|would) like|never (?:eats?|drinks?)|avoids?)\b`)

// IsPreference recognises a preference by its verb. In doubt a claim is a fact; both
// fade and are found in the same way.
func IsPreference(content string) bool { return preference.MatchString(content) }

// Denial matches words of negation.
var Denial = prefilter.New(`(?i)\b(?:not|no|never|none|nobody|without|stopped|quit|former|formerly|no longer|cannot)\b|n(?:'|’)t\b|不|没|別|别`)
