package said

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// pastedAfter begin text by others. The rest of the message is hidden.
var pastedAfter = []string{
	"from:", "subject:", "sent from", "begin forwarded", "---------- forwarded", "-----original", "dear ",
	"von:", "betreff:", "gesendet:", "sehr geehrte", "liebe frau", "lieber herr",
	"asunto:", "de:", "enviado:", "estimado", "estimada",
	"发件人", "主题：", "主题:", "寄件者", "主旨：", "尊敬的", "user:", "assistant:",
}

// toAll matches how a message to a team begins. It is no letter unless it ends like one or asks
// for work on a text.
var (
	toAll   = regexp.MustCompile(`^(?:dear (?:all|team|everyone|everybody|colleagues|agents|folks)|estimad[oa]s? (?:equipo|todos|todas|todxs|colegas|compañer[oa]s)|sehr geehrte kolleg\pL+(?: und kollegen)?|尊敬的(?:各位|大家|同事们))\s*(?:[,，!！:：.–—-]|$)`)
	signOff = regexp.MustCompile(`(?mi)^\s*(?:(?:kind|best|warm|many) )?(?:regards|wishes)\b|^\s*(?:yours|sincerely|cheers|best)\b[^\n]{0,20}$|^\s*(?:mit freundlichen|viele|beste|liebe|herzliche) grüße|^\s*(?:un saludo|saludos|atentamente|cordialmente)|^\s*(?:此致|敬礼|祝好)` +
		`|^\s*(?:(?:many )?thanks|thank you|(?:vielen )?dank(?:e|e schön)?|(?:muchas )?gracias|谢谢)[,，!.！。]?[ \t]*\n+\s*\S[^\n]{0,24}\s*\z|\b(?:sincerely|faithfully|truly) yours\b|\byours (?:sincerely|faithfully|truly)\b`)
)

// toAssistant matches how a message to an assistant begins, which is no pasted letter.
var toAssistant = regexp.MustCompile(`^(?:dear|estimad[oa]) (?:assistant|ai|ebb|bot|chatbot|computer|diary|asistente|ia)\s*(?:[,!:.–—-]|$)`)

// pastedLine are ends of a line after which somebody else's text begins.
var pastedLine = []string{" wrote:", " schrieb:", " escribió:", "写道：", "寫道：", "写道:"}

// editing are requests to work on a text that follows.
var editing = []string{
	"translate", "proofread", "summarize", "summarise", "rewrite", "rephrase", "paraphrase", "correct th", "fix the", "edit th", "polish", "improve th", "grade th", "review th", "this text", "this email", "this message", "this letter", "this paragraph", "the following", "here's the text", "my cover letter", "my essay", "short story", "write a story", "write a poem", "lyrics", "this song", "quote of", "bio for",
	"übersetz", "korrigier", "fasse ", "zusammenfass", "formulier", "folgende", "diesen text", "diese mail", "diesen brief", "überarbeite", "verbessere",
	"traduce", "corrige", "resume ", "reescribe", "siguiente", "este texto", "este correo", "revisa ", "mejora ",
	"翻译", "翻譯", "润色", "潤色", "改写", "改寫", "总结", "總結", "这段", "這段", "以下", "这封", "修改", "校对",
}

// isLetter reports whether a message that begins like a letter is signed, or asks for work on a text.
func isLetter(s string) bool {
	low := strings.ToLower(s)
	return signOff.MatchString(s) || slices.ContainsFunc(editing, func(word string) bool { return strings.Contains(low, word) })
}

// introducesText returns the end of the colon of a line that asks to work on a text after
// it, 0 for other lines.
func introducesText(low string) int {
	colon := strings.IndexAny(low, ":：")
	if colon < 0 || !slices.ContainsFunc(editing, func(word string) bool { return strings.Contains(low[:colon], word) }) {
		return 0
	}
	_, size := utf8.DecodeRuneInString(low[colon:])
	return colon + size
}
