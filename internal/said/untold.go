package said

import (
	"slices"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/prefilter"
)

// Probabilities from which a message counts, by [intent.Feigned] and [intent.Unstored]: of 1,160
// feigned messages and 960 that are not to be stored, half of them without plain words for it,
// about a third each by fits to the others. Of 1,937 messages of fifteen lives that are in no fit none
// counts, and of their everyday messages, some 20,000, eight count as feigned.
const (
	leastFeigned   = 0.35
	leastUnstored  = 0.15
	surelyUnstored = 0.3
)

// storing matches the words of what is not to be stored, by language.
var storing = prefilter.New(
	`(?i)\b(?:sav(?:e|ed|ing)|stor(?:e|ed|ing|age)|remember\pL*|memor\pL+|writ(?:e|ten|ing)|note[sd]?|noting|record\pL*|log(?:ged|s)?|logging|ke(?:ep|pt)|keeping|file[sd]?|profile|retain\pL*|forget\pL*|delet\pL+|eras\pL+|wip\pL+|just (?:for|between)|this chat|only (?:for|here))\b`,
	`(?i)(?:speicher|merk|notier|notiz|aufschreib|schreib|festh[aä]l|beh[aä]l|protokoll|gedächtnis|erinner|profil|lösch|verg[ei]ss|ablag|ableg|archiv|akte|aufnehm|abheft|nur (?:für|hier|jetzt))`,
	`(?i)(?:guard|record|recuerd|recuérd|apunt|anot|registr|memori|archiv|almacen|olvid|borr|perfil|ficha|grab|conserv|qued[ae]|extraoficial|solo (?:para|por|aqu)|sólo (?:para|por|aqu))`,
	`[记記存录錄写寫忘删刪档檔留]|只在这|只是这次`)

// Feigned reports whether what a message says in the first person is not its writer's own
// truth: a story, a game, a joke that is taken back, a text that was pasted.
func Feigned(message string) bool {
	return intent.Feigned.P(intent.Layout(message)) >= leastFeigned
}

// Unstored reports whether a message says that it is not to be stored, and whether that is
// sure enough to hide it: "don't save this, but …", "off the record: …". What rather asks to
// forget something else, or to keep something, does not.
func Unstored(message string) (says, surely bool) {
	if !storing.MatchString(message) {
		return false, false
	}
	read := intent.Read(message)
	p := intent.Unstored.Rate(read)
	if p < leastUnstored || intent.Forget.Rate(read) > p || slices.ContainsFunc(Requests(message), func(q Request) bool { return q.Verb == Keep }) {
		return false, false
	}
	return true, p >= surelyUnstored
}
