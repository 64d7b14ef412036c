package said

import (
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/orders"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// A Lasting is a sentence of a message with the probability that it states
// something about the writer's life or work that will still matter in months.
type Lasting struct {
	Sentence string
	P        float64 // 0–1
}

// LastingOf rates the sentences of a user's own message that have content, in
// order, by [intent.Lasting]. It omits quoted and pasted text, code, orders for now ([orders.Now]) and
// questions, but not what a sentence states before its question.
func LastingOf(message string) []Lasting {
	var out []Lasting
	for _, u := range LastingUnits(message) {
		signals := intent.Read(u)
		p := intent.Lasting.Rate(signals)
		kind := orders.Of(u)
		if kind != orders.Rule && (asksUnmarked(u) || onlyAsks(signals, p)) {
			if u = beforeQuestion(u); u == "" {
				continue
			}
			p, kind = intent.Lasting.P(u), orders.Of(u)
		}
		p = max(p, inParts(u))
		if !clauseEnd.MatchString(u) && len(text.Terms(u)) >= longSentence {
			if of, _, around := likeliestStretch(u); of >= leastStated {
				p, u = max(p, of), around
			}
		}
		if own := Own(u); kind == orders.None && own != u {
			kind = orders.Of(strings.ReplaceAll(own, "\n", "it"))
		}
		if kind == orders.Now && intent.Manner.P(u) < leastManner {
			continue // it is over when it is done
		}
		if kind == orders.Rule {
			p = max(p, leastAnnounced)
		}
		out = append(out, Lasting{Sentence: withFragments(message, u), P: asked(u, p)})
	}
	return out
}

// leastManner is the probability, by [intent.Manner], from which an order for now may be a wish about
// further answers: "Give it to me in metres". Of 200 orders about the work at hand none has it.
const leastManner = 0.3

// beforeQuestion returns what a sentence that asks states before its question, "" for nothing:
// "Ich bin Köchin in Graz" of "Ich bin Köchin in Graz, hast du Ideen für 60 Leute?".
func beforeQuestion(sentence string) string {
	ends := clauseEnd.FindAllStringIndex(strings.TrimRight(sentence, " ?？!.…。"), -1)
	told := sentence // where nothing but words tells where the question begins
	if len(ends) > 0 {
		if told = strings.TrimSpace(sentence[:ends[len(ends)-1][0]]); text.OnlyAsks(told+"?") || asksUnmarked(told) {
			return ""
		}
		if signals := intent.Read(told); intent.Lasting.Rate(signals) >= leastStated && intent.Asks.Rate(signals) < mostAsked {
			return told
		}
	}
	if strings.ContainsAny(sentence, "?？") {
		return "" // who sets a mark sets the others, too
	}
	if p, stretch, _ := likeliestStretch(told); p >= leastStated && intent.Asks.P(stretch) < mostAsked {
		return told
	}
	return ""
}

// Probabilities of what stands before a question, or is only a stretch of a sentence.
const (
	leastStated = 0.25 // at least, by [intent.Lasting]
	mostAsked   = 0.5  // below, by [intent.Asks]
	leastAsks   = 0.2  // by [intent.Asks], of what has a form that statements have, too
)

// clauseEnd matches the end of a clause: where the comma of Chinese is left out, a space.
var clauseEnd = regexp.MustCompile(`[,，;；:：—–]+\s*|\s+-\s+|\.{3}|…|\p{Han} +`)

// aWord matches a word, or a character of Chinese.
var aWord = regexp.MustCompile(`\p{Han}|[^\s\p{Han}]+`)

// Words of a stretch, characters in Chinese, and how many stretches a longer sentence keeps
// before its likeliest one and in all.
const (
	stretchWords = 7
	stretchHan   = 12

	stretchesBefore = 2
	stretchesKept   = 6
)

// likeliestStretch returns the stretch of a sentence dictated without marks that most likely
// states something lasting, with its probability: "achilles was ruptured two years back" in "can
// we do something else for legs today my achilles was ruptured two years back so no box jumps".
// Of 23 such sentences that also ask, 13 have one of leastStated or more, of 174 that state nothing
// 7. around is the sentence, or the part of a very long one around the stretch.
func likeliestStretch(sentence string) (p float64, likeliest, around string) {
	words, size := aWord.FindAllStringIndex(sentence, maxSentenceTokens), stretchWords
	if strings.ContainsFunc(sentence, isHan) {
		size = stretchHan
	}
	if around = sentence; len(words) < 2*size {
		return 0, "", around
	}
	for i := range len(words) - size + 1 {
		stretch := sentence[words[i][0]:words[i+size-1][1]]
		of := intent.Lasting.P(stretch)
		if of <= p {
			continue
		}
		p, likeliest = of, stretch
		if from := max(0, i-stretchesBefore*size); len(words) > stretchesKept*size {
			around = sentence[words[from][0]:words[min(len(words), from+stretchesKept*size)-1][1]]
		}
	}
	return p, likeliest, around
}

// Parameters of inParts: the terms of a sentence that is rated in parts, the clauses of the
// longest part, and the terms of the shortest.
const (
	longSentence  = 15
	longestPart   = 3
	fewestInParts = 4
)

// inParts returns the highest probability of one to three clauses of a long sentence, of
// which the rest tells something else: "I got soaked, the bus was full, I'm allergic to wool,
// by the way". Of two lives in Chinese, where a sentence goes on for long, the area under the
// curve between what is asked for later and everyday messages is .95 instead of .91 with it.
func inParts(sentence string) (p float64) {
	if len(text.Terms(sentence)) < longSentence {
		return 0
	}
	ends := append(clauseEnd.FindAllStringIndex(sentence, -1), []int{len(sentence), len(sentence)})
	from := 0
	for i, end := range ends {
		for _, last := range ends[i:min(i+longestPart, len(ends))] {
			if part := sentence[from:last[1]]; len(text.Terms(part)) >= fewestInParts {
				p = max(p, intent.Lasting.P(part))
			}
		}
		from = end[1]
	}
	return p
}

// A sentence that is as likely only to ask, typed without a question mark, and as unlikely to
// last is omitted. On the lives that were not read, sentences kept for nothing took the place
// of saved facts: with this 100 instead of 97 % of those stand before the model after a year, in
// 1 to 3 % fewer tokens.
const (
	surelyAsks    = 0.9  // by [intent.Asks]
	hardlyLasting = 0.25 // by [intent.Lasting]
)

func onlyAsks(s intent.Text, lasting float64) bool {
	return lasting < hardlyLasting && intent.Asks.Rate(s) >= surelyAsks
}

// OnlyAsks reports whether a message asks something, with or without a question mark, and
// states nothing.
func OnlyAsks(message string) bool {
	if text.OnlyAsks(message) || !strings.Contains(message, "\n") && asksUnmarked(message) {
		return true
	}
	signals := intent.Read(message)
	return onlyAsks(signals, intent.Lasting.Rate(signals))
}

// MannerOf rates the sentences of a user's own message by [intent.Manner]: the probability
// that they say how to answer from now on. It omits what [LastingOf] omits, but not
// questions that ask to do or to stop something ("could you stop apologising?"), which must be
// surer by questionShare. It omits what is limited to one answer or text, see limited.
func MannerOf(message string) (out []Lasting) {
	for _, s := range parse(message) {
		unit, visible := strings.TrimSpace(message[s.lo:s.hi]), s.visible(message)
		if visible != unit && s.words() < fewestWords {
			continue // it only says who said it
		}
		if !s.lastingWish(message) {
			continue
		}
		p := intent.Manner.P(visible)
		if s.question || asksUnmarked(unit) {
			p *= questionShare
		}
		out = append(out, Lasting{Sentence: unit, P: p})
	}
	return out
}

// lastingWish reports whether the sentence may be a wish about further answers: it does not
// only ask something and is not limited to one answer or text.
func (s *sentence) lastingWish(message string) bool {
	visible := s.visible(message)
	return !limited(visible) && (!s.question && !asksUnmarked(visible) || asksToDo(visible))
}

// asksToDo reports whether a question asks the assistant to do or to stop something: "could
// you stop apologising?", "shorter answers, please?".
func asksToDo(question string) bool {
	return !asksToTell.MatchString(question) && toDo.MatchString(question)
}

// asksToTell matches what begins like toDo and asks for an answer.
var asksToTell = prefilter.New(`(?i)\b(?:can|could|will|would) you (?:please )?(?:tell me|explain|say|know|think|believe|recommend|rather|like) (?:how|what|why|whether|if|which|when|where|that|your|about)\b|\b(?:kannst|könntest) du (?:mir )?(?:sagen|erklären)|(?:puedes|podrías) (?:decirme|explicarme) (?:qué|cómo|si|cuál|cuándo|dónde|por qué|quién|cuánt)|(?:能|可以)告诉我`)

// toDo match such questions, by language.
var toDo = prefilter.New(
	`(?i)(?:^|[,;:–—-]\s*|\b(?:and|but|so|please|then|hey|ok|also|oh|ebb|forward|on|future) )(?:(?:can|could|would|will)(?:n['’]?t)? (?:you|u)\b|(?:can|could|may) (?:i|we) (?:have|get)\b|(?:would|do) you mind\b|mind \pL+ing\b)|\b(?:please|pls|ok|okay|alright|thanks|understood|got it)\W*$`,
	`(?i)(?:^|[,;:–—-]\s*|(?:und|aber|also|bitte|dann|ach) )(?:(?:kannst|könntest|würdest|magst) du|chönntisch|chasch|kannste)\b|(?:^|, )(?:können|könnten|würden) sie\b|(?:macht|würde) es dir (?:was |etwas )?aus|\b(?:bitte|ja|okay|danke|verstanden|klar)\W*$`,
	`(?i)(?:^|[,;:¿–—-]\s*|(?:^|[^\pL])(?:y|pero|oye|ya) )(?:me |te |lo |nos )?(?:puedes|podrías|puede|podría|quieres|te importaría|le importaría|te importa|serías)(?:[^\pL]|$)|(?:^|[^\pL])(?:por favor|vale|sí|gracias|entendido|eh)\W*$`,
	`(?:能不能|能否|可不可以|可否|麻烦你?|请你?).+|(?:能|可以).+[吗么嘛]|(?:好吗|行吗|可以吗|好不好|行不行|明白吗|知道吗|懂吗|听到没|谢谢)[？?。~\s]*$`,
)

// limited reports whether a wish is limited to one answer or text: "answer in Polish for
// this one".
func limited(wish string) bool {
	return !general.MatchString(wish) && orders.Limited(wish)
}

// general matches words for always.
var general = prefilter.New(`(?i)\b(?:from (?:now|here|today|this) on\w*|from now|always|every time|each time|whenever|in (?:the )?future|going forward|generally|in general)\b|\b(?:ab (?:jetzt|heute|sofort|nun)|von (?:jetzt|nun) an|immer|künftig|in zukunft|grundsätzlich|generell|jedes mal|jedesmal)\b|(?:^|[^\pL])(?:siempre|a partir de|de ahora en adelante|en adelante|cada vez|en general|en el futuro)(?:[^\pL]|$)|以后|今后|从现在|从今|每次|总是|一直|永远|一律`)

// visible returns the sentence without its quotations and code.
func (s *sentence) visible(message string) string {
	var out strings.Builder
	at := s.lo
	for _, t := range s.tokens {
		if t.word == hiddenWord {
			out.WriteString(message[at:max(at, t.lo)])
			at = max(at, t.hi)
		}
	}
	out.WriteString(message[at:max(at, s.hi)])
	return strings.TrimSpace(out.String())
}

// questionShare is the probability of a question relative to other sentences.
const questionShare = 0.6

// remember matches the words before what a writer asks to have remembered, by language,
// and note weaker ones, which may also begin a remark about the task at hand.
var (
	remember = regexp.MustCompile(`(?i)^(?:(?:please|also|and|ok(?:ay)?|oh|hey|so|can you|could you|would you|bitte|por favor)[, ]+)*(?:` +
		`(?:remember|don['’]?t forget|do not forget|keep in mind|bear in mind)(?:,? that\b|[:,])|for (?:future|later) reference\b|save this[:,]|` +
		`(?:merk(?:e)? dir|denk(?:e)? daran|vergiss nicht|behalte? im kopf),? dass\b|(?:recuerda|no olvides|ten en cuenta) que\b)`)
	note = regexp.MustCompile(`(?i)^(?:(?:please|also|and)[, ]+)*(?:do )?(?:note(?: that\b|:)|important:)`)
	// predicate matches what makes a sentence of "remember that …", unlike "remember that
	// song": a finite verb, or what may be one, or its subject.
	predicate = regexp.MustCompile(`(?i)\b(?:i|we|you|they|he|she|it|are|was|were|am|had|have|will|can|must|may|do|did|go|got|ist|hei(?:ß|ss)t|hat|\pL+s|\pL+ed|\pL+['’](?:m|re|ve|ll|d))\b|\bdass\b|\bque\b`)
)

// leastNoted is the probability at which a sentence after "note that" is kept.
const leastNoted = 0.28

// asked raises the probability p of a sentence that asks to be remembered: to 1, or to
// .6 after weaker words, and that of an announcement.
func asked(sentence string, p float64) float64 {
	switch m := remember.FindString(sentence); {
	case m != "" && predicate.MatchString(sentence[len(m):]+" "+m[strings.LastIndexByte(m, ' ')+1:]):
		return 1
	case p >= leastNoted && note.MatchString(sentence):
		return max(p, 0.6)
	case p < leastAnnounced && announces(sentence):
		return leastAnnounced
	}
	return p
}

// fragment matches a sentence of at most three words, but not "am 2." of "am 2. Juli".
var fragment = regexp.MustCompile(`^\s+(?:[\pL\d]\S*(?: \S+){0,2}?[^\s\d.]|\pL)[.!…]+(?:\s|$)`)

// ownStatement matches the beginning of a short sentence that states something by itself.
var ownStatement = regexp.MustCompile(`(?i)^(?:i|i['’](?:m|ve)|we|ich|wir|yo|nosotr[oa]s) `)

// withFragments returns a sentence of a message with the fragments that follow it, "We
// got a dog. Pilchard.", but not with what states something else: "I live in Porto. I have
// epilepsy."
func withFragments(message, sentence string) string {
	at := strings.Index(message, sentence)
	if at < 0 {
		return sentence
	}
	end := at + len(sentence)
	for {
		more := strings.TrimRight(fragment.FindString(message[end:]), " \t\n")
		if told := strings.TrimSpace(more); told == "" || text.IsSmallTalk(told) || ownStatement.MatchString(told) || len(Claims(told, 1)) > 0 {
			return message[at:end]
		}
		end += len(more)
	}
}

// rhetorical matches questions that tell something: "can you believe, Rayan cuts with
// the left hand".
var rhetorical = prefilter.New(`(?i)\b(?:can|could|would) you (?:believe|imagine)\b|(?:^|[,.;–-]\s*|\b(?:hey|so|btw|and|oh|n|ok|but) )(?:did|do) (?:you know|i (?:tell|mention|say))\b|\bweißt du,|(?:^|[,.;–-]\s*|\b(?:hey|und|ach|aber|du|ja) )hab(?:e)? ich\b`,
	`(?:^|[ ，,。！])[^ ，,。！哪谁几什怎多么啥何]{0,12}(?:还[没在搁]|正在|正[吃睡忙开])[^ ，,。！呢哪谁几什怎多么啥何不]{0,10}呢[。~\s]*$`)

// asksUnmarked reports whether a sentence is a question without a question mark: by its form, or if
// its form is one that statements have, too, if it is likelier to ask than to state something lasting.
func asksUnmarked(sentence string) bool {
	if rhetorical.MatchString(sentence) {
		return false
	}
	form := text.AsksUnmarked(sentence)
	if form != text.MayAsk {
		return form == text.AsksByForm
	}
	signals := intent.Read(sentence)
	return intent.Asks.Rate(signals) >= max(leastAsks, intent.Lasting.Rate(signals))
}

// Asks reports whether a message ends with a question, with or without a mark.
func Asks(message string) bool {
	return text.EndsAsking(message) || asksUnmarked(strings.TrimSpace(message))
}

// change matches words that mark something as new.
var change = prefilter.New(`(?i)\b(?:as of|from (?:now|here|today|tomorrow|next|monday|tuesday|wednesday|thursday|friday)|since (?:today|yesterday|this|last|lunch|monday|tuesday|wednesday|thursday|friday)|instead|no longer|any ?more|switched|swapped|replaced|moved|these days|now|new|i (?:start|started|begin|began)|first day|signed|cancel+ed|given up|gave up|packed (?:\pL+ ){0,3}?in|done with|finished with|gone off` +
	`|seit (?:heute|gestern|dieser|letzter|montag|dienstag|mittwoch|donnerstag|freitag)|ab (?:jetzt|heute|sofort|morgen|montag)|ab (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)|stattdessen|nimmer|(?:nicht|kein\pL*(?: \pL+)?) mehr|doch (?:lieber|nicht)|schluss mit|ist schluss|jetzt|neuerdings|erster tag|unterschrieben|umgestiegen|gewechselt|(?:um|ein|aus)?gezogen|aufgehört|angefangen|gekündigt|verkauft|verschoben|verlegt|abgesagt|fällt (?:aus|flach)|ausgestiegen|ausgetreten|eingetreten|erhöht|gesenkt|hochgesetzt|reduziert|neue[nrms]?` +
	`|desde (?:hoy|ahora|ayer|el|la|esta|este)|a partir de|ya no|ahora|empiezo|primer día|firmado|en (?:vez|lugar) de|cambiado|nuev[oa]s?)\b|入职|报到|第一天|从今天|从现在|现在|以后|改成|改到|改为|换成|换了|换人|不再|新的|新来的|搬到|搬去|搬来|搬回|搬完|搬家|接手|改[用吃喝学叫去]|[卖退戒停断转]掉?了|转[学园]|跳槽|[涨降加减调]到|[加减]量|涨价|降价|取消|还清|分手|离婚|不[^,，。 ]{1,4}了`)

// TellsChange reports whether a sentence contains a word of change, in the
// languages of [LastingOf].
func TellsChange(sentence string) bool { return change.MatchString(sentence) }

// LastingUnits returns the sentences of a message that [LastingOf] rates.
func LastingUnits(message string) (units []string) {
	for _, s := range parse(message) {
		if s.words() < fewestWords || answers[s.tokens[0].word] && s.words() <= mostOfAnswer || s.onlyQuotes(message) {
			continue
		}
		unit := strings.TrimSpace(message[s.lo:s.hi])
		if s.question {
			unit = beforeQuestion(unit)
		}
		if unit != "" {
			units = append(units, unit)
		}
	}
	return units
}

// answers begin sentences of at most mostOfAnswer words that mean little without the question
// before them.
var answers = wordSet("yes yeah nope ja nein doch")

const mostOfAnswer = 12

// fewestWords is the minimum number of words of a sentence with content.
const fewestWords = 3

// onlyQuotes reports whether the sentence is a quotation of several words and says only who
// said it, or where it stands.
func (s *sentence) onlyQuotes(message string) bool {
	quoted := 0
	if at := strings.IndexAny(message[s.lo:s.hi], "\"“„«「`"); at > 0 && thingSays.MatchString(message[s.lo:s.lo+at]) {
		return true
	}
	for i := range s.tokens {
		if s.tokens[i].quoted {
			quoted++
		}
	}
	return quoted > fewestWords && s.words()-quoted < fewestWords
}

// words returns the number of words of the sentence.
func (s *sentence) words() (n int) {
	for i := range s.tokens {
		if !s.tokens[i].mark {
			n++
		}
	}
	return n
}
