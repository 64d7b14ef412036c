package said

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// A Lasting is a sentence of a message with the probability that it states
// something about the writer's life or work that will still matter in months.
type Lasting struct {
	Sentence string
	P        float64 // 0–1
}

// LastingOf rates the sentences of a user's own message that have content, in
// order. It omits quoted and pasted text, code and questions. The rating is a
// linear model over the words of a sentence and its topics, fitted to invented
// messages in English, German, Spanish and Chinese by
//
//	go run ./internal/train -lasting internal/train/testdata/lasting
func LastingOf(message string) []Lasting {
	m := lastingModel()
	var out []Lasting
	for _, u := range LastingUnits(message) {
		if asksUnmarked(u.Text) {
			continue
		}
		out = append(out, Lasting{Sentence: withFragments(message, u.Text), P: m.probability(u.Signals)})
	}
	return out
}

// fragment matches a sentence of at most three words.
var fragment = regexp.MustCompile(`^\s+[\pL\d]\S*(?: \S+){0,2}?[.!…]+(?:\s|$)`)

// withFragments returns a sentence of a message with the fragments that follow it: "We
// got a dog. Pilchard."
func withFragments(message, sentence string) string {
	at := strings.Index(message, sentence)
	if at < 0 {
		return sentence
	}
	end := at + len(sentence)
	for {
		more := strings.TrimRight(fragment.FindString(message[end:]), " \t\n")
		if more == "" || text.IsSmallTalk(strings.TrimSpace(more)) {
			return message[at:end]
		}
		end += len(more)
	}
}

// unmarked matches the beginning or the end of questions that were typed without a
// question mark, by language: English, German, Spanish, Chinese.
var unmarked = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:(?:pls|please|so|and|but|ok|okay|hey|hi|btw|well|also|sorry|quick one)[, ]+)*(?:` +
		`(?:for|since|until|till|in|at|on|to|with|from|by|of|about) (?:what|which|whom|whose)\b|which \pL|whose \pL|` +
		`(?:what|where|who|when|why|how)(?:['’]?s| (?:is|are|was|were|am|do|does|did|can|could|will|would|should|shall|has|have|had|much|many|old|far|often))\b|` +
		`(?:what|how) \pL+ (?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had) (?:i|we|he|she|they|it|you|the|my|our)\b|` +
		`(?:can|could|would|will|do|did|does|should|shall|are|am) (?:you|i|we|they)\b)`),
	regexp.MustCompile(`(?i)^(?:(?:und|aber|also|bitte|na|du|sag|sag mal|hey|ok)[, ]+)*(?:welche[rsnm]?|warum|wieso|weshalb|wofür|womit|wohin|woher|wen|wem|wessen|` +
		`(?:was|wer|wo|wann|wie) (?:ist|sind|war|waren|hat|haben|kann|können|muss|müssen|soll|sollen|darf|wird|werden|heißt|kommt|geht|gibt|steht|liegt|viel|viele|lange|oft|alt|hoch|spät)|` +
		`(?:kannst|könntest|weißt|hast|bist|sollst|soll|darf) (?:du|ich|wir|man)) `),
	regexp.MustCompile(`(?i)^(?:(?:y|pero|oye|bueno|pues|por favor|porfa)[, ]+)*(?:(?:a|de|en|con|por|para|desde|hasta|sobre) )?(?:qué|cuál|cuáles|cuándo|dónde|cómo|quién|quiénes|cuánt[oa]s?) `),
	regexp.MustCompile(`^(?:请问|为什么|怎么|什么时候|哪|谁|多少|几点)|(?:吗|呢|么|多少|是什么|是谁|在哪|在哪里|在哪儿|几号|几点)[。~\s]*$`),
}

// rhetorical matches questions that tell something: "can you believe, Rayan cuts with
// the left hand".
var rhetorical = regexp.MustCompile(`(?i)\b(?:can|could|would) you (?:believe|imagine)\b|\b(?:did|do) (?:you know|i (?:tell|mention|say))\b|\bweißt du,|\bhab(?:e)? ich\b`)

// asksUnmarked reports whether a sentence is a question without a question mark.
func asksUnmarked(sentence string) bool {
	return !rhetorical.MatchString(sentence) && slices.ContainsFunc(unmarked, func(form *regexp.Regexp) bool { return form.MatchString(sentence) })
}

// Asks reports whether a message ends with a question, with or without a mark.
func Asks(message string) bool {
	message = strings.TrimSpace(message)
	return strings.HasSuffix(message, "?") || strings.HasSuffix(message, "？") || asksUnmarked(message)
}

// change matches words that mark something as new.
var change = regexp.MustCompile(`(?i)\b(?:as of|from (?:now|today|tomorrow|next|monday|tuesday|wednesday|thursday|friday)|since (?:today|yesterday|this|last|lunch|monday|tuesday|wednesday|thursday|friday)|instead|no longer|any ?more|switched|swapped|replaced|moved|these days|now|new|i (?:start|started|begin|began)|first day|signed` +
	`|seit (?:heute|gestern|dieser|letzter|montag|dienstag|mittwoch|donnerstag|freitag)|ab (?:jetzt|heute|sofort|morgen|montag)|stattdessen|nimmer|nicht mehr|jetzt|neuerdings|erster tag|unterschrieben|umgestiegen|gewechselt|neue[nrms]?` +
	`|desde (?:hoy|ahora|ayer|el|la|esta|este)|a partir de|ya no|ahora|empiezo|primer día|firmado|en (?:vez|lugar) de|cambiado|nuev[oa]s?)\b|入职|报到|第一天|从今天|从现在|现在|以后|改成|改到|改为|换成|换了|不再|新的|搬到|接手`)

// TellsChange reports whether a sentence contains a word of change, in the
// languages of [LastingOf].
func TellsChange(sentence string) bool { return change.MatchString(sentence) }

// A LastingUnit is a sentence with its signals, for the trainer.
type LastingUnit struct {
	Text    string
	Signals []uint32
}

// LastingUnits returns the sentences of a message that [LastingOf] rates.
func LastingUnits(message string) (units []LastingUnit) {
	for _, s := range parse(message) {
		if !s.question && s.words() >= fewestWords && !answers[s.tokens[0].word] {
			units = append(units, LastingUnit{Text: strings.TrimSpace(message[s.lo:s.hi]), Signals: s.signals(message)})
		}
	}
	return units
}

// answers begin sentences that mean little without the question before them.
var answers = wordSet("yes yeah nope ja nein doch")

// fewestWords is the minimum number of words of a sentence with content.
const fewestWords = 3

// words returns the number of words of the sentence.
func (s *sentence) words() (n int) {
	for i := range s.tokens {
		if !s.tokens[i].mark {
			n++
		}
	}
	return n
}

// LastingBuckets is the number of weights of the model. Signals are hashed into
// them.
const LastingBuckets = 1 << 15

// speakers are first-person pronouns and possessives.
var speakers = wordSet("i me my mine we us our ours i'm i've i'd i'll ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren unserer yo me mi mis mí nosotros nos nuestro nuestra nuestros nuestras 我 咱 俺")

// signals returns the hashed signals of a sentence, each as often as it occurs.
func (s *sentence) signals(message string) (out []uint32) {
	add := func(kind string, words ...string) {
		h := uint32(2166136261)
		mix := func(part string) {
			for i := range len(part) {
				h = (h ^ uint32(part[i])) * 16777619
			}
			h = (h ^ 0xff) * 16777619
		}
		mix(kind)
		for _, w := range words {
			mix(w)
		}
		h ^= h >> 15
		out = append(out, h%LastingBuckets)
	}
	before, two := "^", "^"
	names, own, count := 0, false, 0
	for i := range s.tokens {
		t := &s.tokens[i]
		word := t.word
		if word == hiddenWord {
			word = "\""
		}
		if !t.mark {
			count++
			own = own || speakers[word]
			r := []rune(word)
			switch {
			case unicode.IsDigit(r[0]):
				add("digit")
				word = strings.Map(func(r rune) rune {
					if unicode.IsDigit(r) {
						return '0'
					}
					return r
				}, word)
			case isHan(r[0]):
			case t.upper && i > 0:
				names++
			}
			if len(r) >= 6 && !isHan(r[0]) {
				add("head", string(r[:4]))
				add("tail", string(r[len(r)-4:]))
			}
		}
		add("word", word)
		add("pair", before, word)
		if isHan([]rune(word)[0]) && two != "^" {
			add("three", two, before, word)
		}
		two, before = before, word
	}
	add("pair", before, "$")
	if len(s.tokens) > 1 {
		add("first", s.tokens[0].word, s.tokens[1].word)
	}
	add("names", string(rune('0'+min(names, 3))))
	add("length", string(rune('0'+min(bits.Len(uint(count)), 6))))
	add("own", yes(own))
	for _, name := range topics.Of(text.Clean(message[s.lo:s.hi])).Names() {
		add("topic", name)
		add("topic of", name, yes(own))
	}
	return out
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

//go:embed lasting.bin
var lastingWeights []byte

// linear is the model: a weight for each bucket.
type linear struct {
	bias, unit float64
	weights    []byte // int8, in units
}

// lastingModel reads the weights: bias and unit as float32, little endian, then a
// byte for each bucket.
var lastingModel = sync.OnceValue(func() *linear {
	const head = 8
	m := &linear{weights: make([]byte, LastingBuckets)}
	if len(lastingWeights) == head+LastingBuckets {
		m.bias = float64(math.Float32frombits(binary.LittleEndian.Uint32(lastingWeights)))
		m.unit = float64(math.Float32frombits(binary.LittleEndian.Uint32(lastingWeights[4:])))
		m.weights = lastingWeights[head:]
	}
	return m
})

// probability returns 1 / (1 + e^−z). z is the sum of the signals' weights over
// the square root of their number, plus the bias.
func (m *linear) probability(signals []uint32) float64 {
	sum := 0.0
	for _, s := range signals {
		sum += float64(int8(m.weights[s]))
	}
	return 1 / (1 + math.Exp(-m.bias-m.unit*sum/math.Sqrt(float64(max(1, len(signals))))))
}
