package lexicon

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// isInstruction reports whether a text is a standing instruction for answers: "Always
// give prices in euros when I ask about trips." It must open with it, since within a
// text the same words mostly report a habit.
func isInstruction(said string) bool {
	said = strings.TrimSpace(said)
	end := max(0, strings.IndexAny(said, " ,'’"))
	opens := instructionOpenings[strings.ToLower(said[:end])] || said != "" && said[0] >= utf8.RuneSelf
	if !opens && !germanAdverbs.In(said) {
		return false
	}
	said = strings.ToLower(said)
	return instructionMarks.In(said) && instruction.MatchString(said)
}

// The expression takes some 50 µs, so only few texts are compared with it: those with one
// of instructionMarks that open with one of instructionOpenings or not in Latin script,
// or have one of germanAdverbs, which follow any verb.
var (
	instructionOpenings = folds(`please and so also can could would i always never from every each when whenever if
		bitte immer nie niemals ab von jedes wenn por siempre nunca en de a cada cuando`)
	germanAdverbs    = text.NewHints(" immer", " nie", " künftig")
	instructionMarks = text.NewHints(
		"always", "never", "now on", "when i ", "whenever", "if i ", "every time", "each time",
		"immer", "nie", "ab jetzt", "ab sofort", "von nun an", "künftig", "wenn ich",
		"siempre", "nunca", "en adelante", "a partir de ahora", "cuando ", "cada vez",
		"以后", "以後", "今后", "今後", "从现在", "從現在", "每次", "每当", "每當", "总是", "總是", "一律", "永远", "永遠",
	)
)

// Verbs of what an assistant is asked to do.
const (
	verbs        = `(?:answer|respond|reply|write|give|show|tell|list|name|use|include|provide|format|confirm|mention|report|highlight|explain|keep|start|end|begin|finish|call|address|cite|quote|convert|avoid|suggest|recommend|offer|propose|add|remind|make|specify|state|combine|maintain|prioriti[sz]e|tailor|put|round|sort|order|group|translate|summari[sz]e|spell|check|ask|assume|treat|consider|break|present|describe|compare|limit|skip|omit|note|point|stick|speak|talk|do not|don['’]t)`
	verbsGerman  = `(?:antworte|schreibe?|gib|zeige?|nenne?|verwende|benutze?|nimm|formatiere|erkläre?|halte?|beginne?|zitiere?|vermeide|empfiehl|schlage?|füge?|sage?|sprich|erwähne?|rechne|runde|sortiere|fasse?|übersetze?|frage?|mache?|lass|duze|sieze)`
	verbsSpanish = `(?:responde|contesta|escribe|da|dame|muestra|muéstrame|usa|utiliza|incluye|indica|di|dime|menciona|explica|evita|recomienda|sugiere|añade|pon|haz|resume|traduce|cita|nombra|trátame|tutéame|no)`
)

var instruction = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`(?:please,? |and |so |also,? |(?:can|could|would) you (?:please )?|i(?:['’]d| would) like you to |i want you to )?(?:please )?(?:always|never)(?: ever)?,? (?:please )?` + verbs + `\b`,
	`(?:from now on|(?:every|each) time i (?:ask|mention|say|want|request)\b[^,.!?]*),? (?:please |always |never |you should )*` + verbs + `\b`,
	`(?:when|whenever|if) i (?:ask|mention|request|want to know)\b[^,.!?]*, ?(?:please |always |never |you should )*` + verbs + `\b`,
	verbsGerman + `\b(?:[ ,]+[^ .!?]+){0,4}[ ,]+(?:immer|nie|niemals|künftig)\b`,
	`(?:bitte )?(?:immer|nie|niemals|künftig|ab jetzt|ab sofort|von nun an),? (?:bitte\b|` + verbsGerman + `\b)`,
	`(?:immer |jedes mal,? )?wenn ich (?:dich )?(?:nach|um|über|von) [^.!?]*(?:frage|bitte|rede|spreche),? (?:dann |bitte |immer )*` + verbsGerman + `\b`,
	`(?:por favor,? )?(?:siempre|nunca|en adelante|de ahora en adelante|a partir de ahora),? (?:por favor,? )?` + verbsSpanish + `\b`,
	`(?:siempre que|cada vez que|cuando) (?:te )?(?:pregunte|hable|pida|mencione)\b[^,.!?]*, ?(?:por favor,? |siempre |nunca )*` + verbsSpanish + `\b`,
	`(?:请|請)?(?:以后|以後|今后|今後|从现在起|从现在开始|從現在起|每次|每当|每當)[^。！？]{0,12}(?:问|問|提到|说到|說到)[^。！？]*(?:请|請|都|要|用|给|給)`,
	`(?:请|請)(?:你)?(?:以后|以後|今后|今後|总是|總是|一律|永远|永遠)[^。！？]{0,12}(?:回答|回复|回覆|说|說|写|寫|称呼|稱呼|用|给|給|列|标|標)`,
	`(?:以后|以後|今后|今後|从现在起|从现在开始|從現在起)(?:，)?(?:请|請|都|一律)`,
}, "|") + `)`)
