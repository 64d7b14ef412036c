package prompt

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// Earning returns the entries that may hold an answer. It leaves out what only repeats a text or
// only asks, what requests a general task, and replies that only acknowledge. What the
// user asked stays beside the reply to it, and all of it if the question is about what was
// asked or what both said, about a time without anything else, or about the last conversation. Nothing fills the
// places of what it leaves out among the first most: it returns how many are left.
func Earning(entries []Entry, question string, p *lexicon.Plan, most int) (kept []Entry, left int) {
	if p.Story || p.About == lexicon.AboutLastTalk || text.AsksWhatWasAsked(question) || bothSaid.MatchString(question) {
		return entries, most
	}
	newest := newestOf(entries, p)
	asked, shared, earns := make([]bool, len(entries)), make([]int, len(entries)), make([]bool, len(entries))
	terms := text.QueryTerms(text.WithoutFunctionWords(question), maxLikenessTerms)
	for i := range entries {
		m := &entries[i].Memory
		asked[i] = m.Kind == schema.KindEpisode && m.OwnWords() && asksOnly(m.Content)
		shared[i] = text.Held(terms, m.Content)
	}
	ofReplies := text.AsksYou(question)
	for i := range entries {
		e := &entries[i]
		if !e.isReply() {
			earns[i] = earns[i] || !asked[i] && !(shared[i] == 0 && fills(e, p))
			continue
		}
		to := e.repliesTo(entries)
		answers := to >= 0 && (ofReplies || shared[to] > 0 && (asked[to] || strings.ContainsAny(entries[to].Memory.Content, "?？")))
		earns[i] = !text.IsSmallTalk(e.Memory.Content) && !text.IsNoAnswer(e.Memory.Content) && (answers || ofReplies || shared[i] > 0 && shared[i] == len(terms) || !acknowledges(e.Memory.Content, shared[i]))
		if answers && earns[i] {
			earns[to] = true
		}
	}
	left = most
	for i, e := range entries {
		switch {
		case earns[i] && newest[i]:
			kept = append(kept, e)
		case i < most:
			left--
		}
	}
	return kept, left
}

// bothSaid matches what asks for what both said.
var bothSaid = prefilter.New(`(?i)\bwe (?:say|said|talk(?:ed)?|discuss(?:ed)?|sp(?:eak|oke))\b|\bwir\b.*\b(?:gesagt|gesprochen|geredet|besprochen)|\b(?:dijimos|hablamos|comentamos)\b`, `(?:我们|我們|咱们).*(?:说|說|聊|谈|談|讲|講)`)

// fills reports what was picked from a time of several days for no other reason, and holds no number.
func fills(e *Entry, p *lexicon.Plan) bool {
	return e.Why != "" && len(p.Spans) > 0 && p.Spans[0].End.Sub(p.Spans[0].Start) > severalDays && !strings.ContainsFunc(e.Memory.Content, isNumeral)
}

const severalDays = 49 * time.Hour

// isReply reports a message of the assistant's that no other agent wrote.
func (e *Entry) isReply() bool {
	m := &e.Memory
	return m.Kind == schema.KindEpisode && m.Origin == schema.OriginAssistant && m.Speaker == ""
}

// replyPause is the longest time between a message and the reply to it.
const replyPause = 3 * time.Minute

// repliesTo returns the last message of the user's just before a reply, -1 for none.
func (e *Entry) repliesTo(entries []Entry) int {
	m, last := &e.Memory, -1
	for i := range entries {
		to := &entries[i].Memory
		pause := m.EventTime.Sub(to.EventTime.Time)
		if to.OwnWords() && to.Kind == schema.KindEpisode && m.SessionName == to.SessionName && pause >= 0 && pause <= replyPause &&
			(last < 0 || entries[last].Memory.EventTime.Before(to.EventTime.Time)) {
			last = i
		}
	}
	return last
}

// newestOf marks the entries without those that repeat the text of a newer one by the same
// speaker. For a question about dates only those of one day are repetitions.
func newestOf(entries []Entry, p *lexicon.Plan) []bool {
	type saying struct{ text, who, day string }
	last, newest := make(map[saying]int), make([]bool, len(entries))
	for i := range entries {
		m := &entries[i].Memory
		s := saying{text: text.Fold(text.Line(m.Content)), who: m.Speaker}
		if p.AsksDate || len(p.Spans) > 0 {
			s.day = m.EventTime.Format(time.DateOnly)
		}
		before, known := last[s]
		if known && !entries[before].Memory.EventTime.Before(m.EventTime.Time) {
			continue
		}
		if known {
			newest[before] = false
		}
		last[s], newest[i] = i, true
	}
	return newest
}

// shortReply is the length of replies that may only acknowledge, in tokens.
const shortReply = 24

// acknowledges reports a short reply that holds no number, no code and no more than one term of the question.
func acknowledges(reply string, shared int) bool {
	return shared < 2 && text.Tokens(reply) <= shortReply && !strings.ContainsFunc(reply, unicode.IsDigit) && !code.MatchString(reply)
}

// code matches a file, a path, an identifier or what stands in backticks.
var code = regexp.MustCompile("`|[a-zA-Z]\\w*(?:/\\w+)+\\.|\\b\\w+\\.(?:go|py|ts|tsx|js|rs|java|c|cpp|h|rb|sql|md|ya?ml|json|toml|sh)\\b|\\b\\w+_\\w+\\b|\\b[a-z]+[A-Z]\\w*|\\w\\(\\)")

// asksOnly reports whether a message of the user's asks a question or requests a general task,
// and states nothing of its own: "Can you word a mail to Odile, who now runs the shop?"
// states something.
func asksOnly(message string) bool {
	message = strings.TrimSpace(message)
	return (asksByForm(message) || isGeneralTask(message)) && !forOthers.MatchString(message) && !states.MatchString(message) && !namesNew(message) && len(said.Claims(message, 1)) == 0
}

// mostToAsk is the length of a question without a form of its own, and fewestTold that of a clause that
// tells something before a question, in words.
const mostToAsk, fewestTold = 12, 4

// asksByForm reports a question.
func asksByForm(message string) bool {
	first, _, more := strings.Cut(message, ",")
	told := more && len(strings.Fields(first)) >= fewestTold && !text.OnlyAsks(first+"?") && text.AsksUnmarked(first) == text.AsksNot
	form := firstAsks.MatchString(message) && !told || text.AsksUnmarked(message) == text.AsksByForm
	if said.OnlyAsks(message) && (form || !strings.ContainsFunc(message, isNumeral) && !strings.ContainsAny(message, ":：") && !owns.MatchString(message)) {
		return true
	}
	// "And two weeks after that?"
	last, size := utf8.DecodeLastRuneInString(message)
	return (last == '?' || last == '？') && !strings.ContainsAny(message[:len(message)-size], ".,;:!?–—，。；：！？\n") &&
		len(strings.Fields(message)) <= mostToAsk && !firstPerson.MatchString(message)
}

// isNumeral reports a digit or a Chinese numeral of amounts.
func isNumeral(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("十百千萬万", r) }

// isGeneralTask reports a request that names nothing of the user's own: a film, a rhyme, a
// translation.
func isGeneralTask(message string) bool {
	return utf8.RuneCountInString(message) <= mostTask && generalTask.MatchString(message) && !owns.MatchString(message)
}

// mostTask is the length of a request for a general task, in characters.
const mostTask = 140

// namesNew reports a name that a message gives to somebody of the user's: "my new boss Helen".
func namesNew(message string) bool {
	for _, m := range ownNamed.FindAllStringSubmatch(message, -1) {
		if !slices.ContainsFunc(strings.Fields(m[1]), text.IsStopWord) && len(text.TimeSpans(m[2], time.Time{})) == 0 {
			return true
		}
	}
	return false
}

var (
	// ownNamed matches an owner, up to two words for what is owned, and a name.
	ownNamed = regexp.MustCompile(`(?:^|[^\pL])(?i:my|our|mi|mis|nuestr[oa]s?|mein\pL*|unser\pL*) ((?:\p{Ll}+ ){1,2}|(?:neue\pL* )?\p{Lu}\p{Ll}+ )(\p{Lu}\pL+)`)
	// states matches what tells something beside a question or a request: a relative clause about a
	// name, a message to another person, a reminder, a rhetorical question.
	states = prefilter.New(
		`\p{Lu}\pL+, (?:who|whose|which|que|quien|quienes|cuy[oa]s?) `,
		`(?i), (?:der|die|das|dem|den|deren|dessen)\b.*\b(?:jetzt|nun|inzwischen|mittlerweile|neuerdings|seit|gerade)\b`,
		`(?i)\b(?:tell|write|text|mail|email|message|inform|remind|let|reply)\b.* (?:that|know|say|saying)\b|\b(?:remind|remember|don't forget)\b`,
		`\b[Tt]ell \p{Lu}`,
		`(?i)\b(?:sag|schreib|antworte|richte|teile?|erinner)\pL*\b.*\bdass\b|\b(?:erinner|merk|vergiss)\pL*\b`,
		`(?i)(?:^|[^\pL])(?:d[ií](?:le|les)|escr[ií]be(?:le|les)|av[ií]sa(?:le|les)?|responde(?:le|les)?)(?:[^\pL]|$).* que |recu[eé]rda(?:me|le)|no (?:te )?olvides`,
		`(?:告诉|告訴|通知|跟|和|回|提醒)[^，,。 ]{1,8}(?: |，|,)?(?:说|說|講|讲)|提醒|记得|記得|记住|記住`,
		`(?i)(?:^|[,.!] *)(?:did i (?:tell|mention)|have i (?:told|mentioned)|did you know|do you know that|can you believe|guess what|hab(?:e)? ich (?:dir|schon|eigentlich)[^?]*(?:erzählt|gesagt)|weißt du(?: schon)?,? dass|wusstest du|¿?te (?:conté|dije|he (?:contado|dicho))|¿?sab(?:es|ías) que|我(?:有没有|有沒有)?跟你(?:说|說|讲|講)[过過]|你知道吗|你知道嗎)`,
	)
	// forOthers matches a request to do something outside of the conversation, and a question for somebody and what
	// they cannot have: "Can you book the 7:40 to Leeds?", "for my son, who is allergic". Nothing else may tell of it.
	forOthers = prefilter.New(
		`(?i)^(?:ok |hey |so |and |please )*(?:can|could|would|will) you (?:please |just |also )*(?:book|reserve|order|buy|cancel|move|reschedule|schedule|renew|pay|call|ring|send|add|set)\b`,
		`(?i)^(?:hey |und |bitte )*(?:kannst|könntest|würdest) (?:du|sie) .*\b(?:buchen|reservieren|bestellen|kaufen|absagen|kündigen|stornieren|verschieben|verlängern|überweisen|bezahlen|anrufen|eintragen|schicken)\b`,
		`(?i)^[¿ ]*(?:oye |por favor |y )*(?:me |nos )?(?:puedes|podrías) (?:reserva|pedi|compra|cancela|anula|move|cambia|renova|paga|llama|envia|manda|apunta)r`,
		`^(?:请|請|能|可以|麻烦|麻煩|你)*[帮幫]我(?:订|訂|预订|預訂|买|買|取消|退|改|约|約|预约|預約|付|寄|打电话|打電話)`,
		`(?i)\b(?:my|our) (?:\pL+ )?\pL+,? (?:who|that)(?: is|['’]s| has| can['’]t| cannot)\b`,
		`(?i)\b(?:for|with|für|para)\b.*(?:allerg|alérg|vegan|vegetari|diabet|coeliac|celiac|celíac|zöliak|pregnan|schwanger|embaraz)`,
		`(?:过敏|過敏|怀孕|懷孕|糖尿病|吃素)的`,
		`(?i)(?:^|[^\pL])(?:(?:le|les) (?:digo|cuento|explico)|dec[ií]r(?:le|les)?) .* que `,
	)
	// firstAsks matches a message whose first sentence is a question.
	firstAsks = regexp.MustCompile(`^[^.!。！]*[?？]`)
	// firstPerson matches a statement of the user's about themselves.
	firstPerson = prefilter.New(`(?i)\b(?:i|i['’](?:m|ve|ll|d)|we|we['’](?:re|ve|ll)|ich|wir|yo|soy|tengo|estoy|tenemos|somos|estamos)\b|我`)
	// owns matches what is of the user's own, other people, and days.
	owns = prefilter.New(`(?i)\b(?:my|mine|our|ours|us|we|i['’](?:m|ve|ll)|he|she|his|her|mein\pL*|unser\pL*|uns|wir|ich|sie|ihr\pL*|mi|mis|nuestr\pL+|tengo|soy|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|heute|siempre|nunca|always|never|from now on|immer|künftig|ab jetzt|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|hoy)\b`,
		`新[老同来來邻鄰男女]|我的|我们|我們|我家|我[妹姐姊哥弟爸妈媽老女儿兒]|[他她]|明天|今天|后天|後天|周[一二三四五六日]|一律|以后|以後|每次|总是|禮拜|星期`,
		`(?i)\b(?:mr|mrs|ms|dr|herr|herrn|frau|señora?)\b`)
	// generalTask matches the beginning of such requests.
	generalTask = prefilter.New(
		`(?i)^(?:ok |hey |so |and |quick,? |please |(?:can|could|would) you (?:please )?)*(?:suggest (?:a|an|some|me)\b|recommend (?:a|an|some|me a)\b|give me (?:a|an|one|some|two|three|four|five|ten|\d+)\b|name (?:a|an|one|some|three|five|me a)\b|tell me (?:a|an|one|some)\b|convert\b|translate\b|explain\b|define\b|spell\b|play\b|sing\b|rhyme\b|make this\b|turn this\b|rephrase\b|reword\b|shorten this\b|a (?:better word|pun|joke|rhyme|synonym|regex|limerick)\b|write (?:a|an|me a) (?:poem|limerick|haiku|joke|story|song|rhyme|pun)\b)`,
		`(?i)^(?:hey |und |bitte |kannst du (?:mir )?(?:bitte )?|könntest du (?:mir )?)*(?:nenn(?:e)? mir (?:ein|drei|fünf|zwei)|gib mir (?:bitte )?(?:ein|drei|fünf|zwei|mal ein)|schlag(?:e)? mir (?:ein|einen|eine)\b|empfiehl mir (?:ein|einen|eine)\b|sag mir (?:mal )?(?:einen|ein|was (?:lustig|aufmunternd|schön)\pL*)|erzähl(?:e)? mir (?:einen|ein|eine|was)\b|übersetz\pL*|erklär\pL*|formulier\pL*|buchstabier\pL*|rechne\b|sing\b|reim\pL*|ein (?:anderes wort|synonym|witz|reim)\b|schreib mir (?:einen|ein|eine) (?:gedicht|witz|reim|limerick|haiku|lied))`,
		`(?i)^(?:oye |por favor |y |¿?(?:puedes|podrías) )*(?:sugi[eé]re(?:me)? (?:un|una|algo)|recomi[eé]nda(?:me)? (?:un|una|algo)|dame (?:un|una|dos|tres|cinco)\b|dime (?:un|una)\b|nombra(?:me)? |trad[uú]ce(?:me)?\b|expl[ií]ca(?:me)?\b|convierte\b|deletrea\b|cu[eé]ntame (?:un|una)\b|canta\b|inventa(?:me)?\b|escr[ií]be(?:me)? (?:un|una) (?:poema|chiste|rima|cuento|haiku|canción))`,
		`^(?:请|請|帮我|幫我|给我|給我|你|再|麻烦|麻煩)*(?:推荐|推薦|介绍|介紹|想|取|起|讲|講|写|寫|编|編|来|來|翻译|翻譯|翻成|解释|解釋)(?:一?[个個句首部本张張段篇]|成)|^[请請再]?(?:说|說)[个個](?:笑话|笑話|故事)`,
	)
)
