package said

import (
	"regexp"
	"slices"
	"strings"
)

// namedBefore returns the number of tokens from i of the assistant's name: "Ebb, forget that",
// "@planner forget that", "support agent: forget that".
func namedBefore(message string, t []token, i int) int {
	end := i
	for end < len(t) && !t[end].mark && end-i <= mostNamed {
		end++
	}
	switch {
	case end == i || t[i].quoted:
	case t[i].lo > 0 && message[t[i].lo-1] == '@' && (end > i+1 || end < len(t)):
		if end == i+1 {
			return 2
		}
		return 1
	case end < len(t) && t[end].mark:
		one := end == i+1 && (t[end].word == "," || t[end].word == ":" && !t[i].upper)
		if one || (t[end].word == "," || t[end].word == ":") && assistants.MatchString(message[t[i].lo:t[end-1].hi]) {
			return end + 1 - i
		}
	}
	if i > 0 && greetings[t[i-1].word] && i+1 < len(t) && (requestRows[t[i+1].word] != nil || courtesies.in(t, i+1)) {
		return 1
	}
	return 0
}

// mostNamed is the maximum number of tokens of an assistant's name.
const mostNamed = 5

// assistants matches names that only assistants have, also of several words. greetings are words
// after which a name needs no comma, and exclaims are words before a comma that are no name.
var (
	assistants = regexp.MustCompile(`(?i)(?:^|[ -])(?:claude|chat-?gpt|gpt|gemini|copilot|siri|alexa|ebb|agente?|assistente?n?|assistant|asistente|bot|helper|ai|ki|ia)$|(?:助手|助理|机器人|管家)$|^[小阿]\p{Han}{1,2}$`)
	greetings  = wordSet("hey hi hello ok okay hallo hola oye 嘿 嗨")
	exclaims   = wordSet("yeah yes nah nope look listen man dude people folks guys everyone team mate leute kinder gente chicos god ugh lol haha well whatever anyway ehrlich naja mensch hör komm ja nein echt bueno vaya venga mira hombre sí no")
)

// notOne are words for people at large and for the two who talk. tells are words for saying something
// to the assistant, which stand among the first mostSaid tokens.
var (
	notOne = wordSet("i we you they people everyone everybody nobody one is was are matters ich wir du ihr man alle leute ist war yo la_gente dije conté escribí")
	tells  = wordSet("said told wrote mentioned gesagt erzählt geschrieben erwähnt dijo contó escribió comentó mencionó")
)

const mostSaid = 8

// openEnded are words after "forget" that name nothing, or that other rows have.
var openEnded = wordSet("i we he she they ich er wir yo that this it them those these about the my our your what who where when why how if all you me us myself yourself not never nothing nicht nie niemals nix nichts es das ihn sie mich dich uns bitte was wer wo wie dass ja")

// isOwned reports whether tokens name something and whose it is: "Dana's birthday", "Danas
// Geburtstag", but not "Klaus Weber".
func isOwned(t []token) bool {
	return len(t) > 1 && (t[1].word == "'s" || t[0].upper && strings.HasSuffix(t[0].word, "s") && t[1].upper &&
		slices.ContainsFunc(nouns[t[1].word], func(n noun) bool { return n.class&bearers == 0 }))
}
