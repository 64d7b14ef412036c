package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// IsPersonal reports whether a question is about its author, in English, German,
// Spanish or Chinese: "Which car do I have?". A verb ending alone ("¿Dónde
// vivo?") is not enough, nor is "tell me" or "schreib mir".
func IsPersonal(s string) bool {
	words := courtesyWords(s)
	for i, w := range words {
		switch {
		case likeChild(words, i):
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

// likeChild reports whether word i is the "I" of "explain it like I'm five".
func likeChild(words []string, i int) bool {
	if i == 0 || words[i-1] != "like" {
		return false
	}
	rest := strings.Join(words[i:min(len(words), i+3)], " ") + " "
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "im "), "i am ")
	first, _, _ := strings.Cut(rest, " ")
	return asChild[first]
}

var asChild = wordSet("five 5 ten 10 a an stupid dumb")

// IsGeneral reports whether a question needs no memory, by its form: it asks for
// a text, a translation, a sum, a definition or general knowledge, and mentions
// no person. It errs towards false.
func IsGeneral(s string) bool {
	words := courtesyWords(s)
	for len(words) > 1 && beforeQuestion[words[0]] {
		words = words[1:]
	}
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
	return slices.ContainsFunc(generalOpenings, func(p string) bool { return strings.HasPrefix(joined, p+" ") })
}

var (
	ownWord = wordSet(`i im ive id ill me my mine myself we our ours us ourselves were weve well
		ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer
		yo mi mis mí mío mía míos mías nosotros nosotras nos nuestro nuestra nuestros nuestras conmigo tengo soy estoy vivo trabajo debo puedo hago`)
	requestVerb = wordSet(`write translate explain define convert calculate compute solve compose draft summarise summarize list name tell give show describe
		recommend suggest make create generate rewrite correct spell compare teach sing draw help
		schreib schreibe übersetze übersetz erkläre erklär berechne rechne löse nenne nenn gib erzähl erzähle zeig zeige beschreibe definiere dichte formuliere
		escribe traduce explica calcula resuelve nombra dime dame cuéntame muéstrame describe define redacta convierte enséñame`)
	// asksFor are words before the verb of a request: "could you tell me".
	asksFor         = wordSet(`you please and to du sie mir bitte und zu por favor y puedes podrías`)
	generalOpenings = strings.Split(`what is a
what is an
whats a
whats an
what are the
what is the capital
what is the boiling
what is the difference
what does
what causes
how do you
how does
how does a
how is
how are
how far is
how tall is
how high is
how deep is
how old is the
how long does it take to
how many people live
who wrote
who invented
who discovered
who painted
who composed
who was the first
why is the
why do
why does
why are
can you write
can you translate
can you explain
could you write
could you translate
could you explain
was ist ein
was ist eine
was ist der
was ist die
was ist das
was bedeutet
was heißt
wie funktioniert
wie viele einwohner
wie weit ist
wie hoch ist
wie sagt man
wer schrieb
wer hat den
wer hat die
wer hat das
wer erfand
wer malte
warum ist der
warum ist die
warum sind
kannst du ein
kannst du einen
qué es
qué es un
qué es una
qué significa
cuál es la capital
cuál es la diferencia
cuál es el punto
cómo funciona
cómo se dice
cómo se hace
cuántos habitantes
quién escribió
quién inventó
quién pintó
quién descubrió
por qué el
por qué la
por qué los
por qué las`, "\n")
	generalUnspaced = strings.Fields(`写一首 写首 写一篇 写一个 写一封 翻译 是什么意思 什么是 怎么说 解释一下 计算 等于多少 的首都 的区别 谁发明 谁写的 是谁写 谁画的 有多高 有多远 有多少人口 沸点 讲个 讲一个 为什么天`)
)
