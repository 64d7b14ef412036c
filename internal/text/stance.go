package text

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// IsPersonal reports whether a question is about its author, in English, German,
// Spanish or Chinese: "Which car do I have?". A verb ending alone ("¿Dónde
// vivo?") is not enough, nor is "tell me" or "schreib mir".
func IsPersonal(s string) bool {
	words := strings.Fields(asChild.ReplaceAllString(strings.Join(courtesyWords(s), " "), ""))
	for i, w := range words {
		switch {
		case ownWord[w] && !(i > 0 && requestVerb[words[i-1]] && (i == 1 || asksFor[words[i-2]] || (w == "ich" || w == "wir") && words[i-2] != "was")):
			return true
		case strings.ContainsAny(w, "我咱") && !strings.HasPrefix(w, "给我") && !strings.HasPrefix(w, "帮我"):
			return true
		case (strings.HasPrefix(w, "给我") || strings.HasPrefix(w, "帮我")) && strings.Count(w, "我") > 1:
			return true
		}
	}
	return false
}

// asChild matches the "I" of "explain it like I'm five".
var asChild = regexp.MustCompile(`\blike (?:im|i am) (?:five|5|ten|10|a|an|stupid|dumb)\b`)

// IsGeneral reports whether a question needs no memory, by its form: it asks for
// a text, a translation, a sum, a definition or general knowledge, and mentions
// no person. It errs towards false.
func IsGeneral(s string) bool {
	words := withoutLead(courtesyWords(s))
	if len(words) == 0 || IsPersonal(s) {
		return false
	}
	joined := strings.Join(words, " ") + " "
	if first, _ := utf8.DecodeRuneInString(joined); isUnspaced(first) {
		joined = strings.ReplaceAll(joined, " ", "")
		return slices.ContainsFunc(generalUnspaced, func(p string) bool { return strings.Contains(joined, p) })
	}
	if requestVerb[words[0]] {
		return true
	}
	return generalOpening.MatchString(joined)
}

var (
	ownWord = WordSet(`i im ive id ill me my mine myself we our ours us ourselves were weve well
		ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer
		yo mi mis mí mío mía míos mías nosotros nosotras nos nuestro nuestra nuestros nuestras conmigo tengo soy estoy vivo trabajo debo puedo hago`)
	requestVerb = WordSet(`write translate explain define convert calculate compute solve compose draft summarise summarize list name tell give show describe
		recommend suggest make create generate rewrite correct spell compare teach sing draw help
		schreib schreibe übersetze übersetz erkläre erklär berechne rechne löse nenne nenn gib erzähl erzähle zeig zeige beschreibe definiere dichte formuliere
		escribe traduce explica calcula resuelve nombra dime dame cuéntame muéstrame describe define redacta convierte enséñame`)
	// asksFor are words before the verb of a request: "could you tell me".
	asksFor        = WordSet(`you please and to du sie mir bitte und zu por favor y puedes podrías`)
	generalOpening = regexp.MustCompile(`^(?:what(?: i)?s an?|what are the|what is the (?:capital|boiling|difference)|what (?:does|causes)|how (?:do you|does|is|are|(?:far|tall|high|deep) is|old is the|long does it take to|many people live)|` +
		`who (?:wrote|invented|discovered|painted|composed|was the first)|why (?:is the|do|does|are)|(?:can|could) you (?:write|translate|explain)|` +
		`was ist (?:eine?|der|die|das)|was (?:bedeutet|heißt)|wie (?:funktioniert|viele einwohner|weit ist|hoch ist|sagt man)|wer (?:schrieb|erfand|malte|hat (?:den|die|das))|warum (?:ist der|ist die|sind)|kannst du einen?|` +
		`qué (?:es|significa)|cuál es (?:la capital|la diferencia|el punto)|cómo (?:funciona|se dice|se hace)|cuántos habitantes|quién (?:escribió|inventó|pintó|descubrió)|por qué (?:el|la|los|las)) `)
	generalUnspaced = strings.Fields(`写一首 写首 写一篇 写一个 写一封 翻译 是什么意思 什么是 怎么说 解释一下 计算 等于多少 的首都 的区别 谁发明 谁写的 是谁写 谁画的 有多高 有多远 有多少人口 沸点 讲个 讲一个 为什么天`)
)
