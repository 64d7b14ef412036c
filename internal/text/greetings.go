package text

import (
	"regexp"
	"strings"
	"unicode"
)

// IsSmallTalk reports whether a text only greets, thanks, agrees or says
// goodbye, in English, German, Spanish, French, Italian, Portuguese, Dutch,
// Russian, Turkish, Chinese, Japanese or Korean: "hi", "ok great", "danke!",
// "好的". Such a text needs no search. A text without a single letter or digit
// ("🙂", "?!") and a command to the program ("/status") are small talk as well.
//
// It errs towards false: every word must be known small talk. A name, or a
// question mark after anything but a courtesy ("how are you?"), makes it false,
// so "thanks Vitya" is searched for.
func IsSmallTalk(s string) bool {
	const longest = 120 // bytes; a longer text has content
	if s = strings.TrimSpace(s); len(s) > longest {
		return false
	}
	words := courtesyWords(s)
	if len(words) == 0 || command.MatchString(s) {
		return true
	}
	asks := strings.ContainsAny(s, "?？")
	substance := false // a phrase other than a filler; fillers alone may refer to something said before
	for len(words) > 0 {
		n, kind := courtesyAt(words)
		if n == 0 || asks && kind != courtesyAsk && kind != courtesyFill && kind != courtesyHello {
			return false
		}
		substance = substance || kind != courtesyFill
		words = words[n:]
	}
	return substance
}

// Agrees reports whether a short message answers a question with yes, in English, German,
// Spanish or Chinese: "yes please", "ok", "genau die", "sí, eso", "对". It errs towards false: a word
// that refuses, doubts, delays or keeps makes it false, and so does what follows a word that
// means something else as well: "right now", "si llueve", "对了".
func Agrees(s string) bool {
	const longest = 60 // bytes
	s = strings.TrimSpace(s)
	return len(s) <= longest && agreement.MatchString(s) && !Denies(s) && !delay.MatchString(s) && !strings.ContainsAny(s, "?？")
}

// Denies reports whether a message contains a word that refuses, in the same languages.
func Denies(s string) bool { return refusal.MatchString(s) }

var (
	agreement = regexp.MustCompile(`(?i)(?:^|[,.;!…] *)(?:(?:yes|yep|yup|yeah|yeh|ye|aye|please do|confirmed|that['’]?s (?:it|the one|right|correct)|ja|jep|jo|jau|jawohl|jawoll|sí|así es|ándale|confirmo|simón)(?:[^\pL]|$)|` +
		`(?:right|correct|exactly|sure|ok|okay|do it|go ahead|ya|mach (?:das|es)|vale|hazlo|adelante|genau|stimmt|richtig|passt|korrekt|si|dale|correcto|exacto|claro)(?: *[,.;!…]| *$| (?:that|thanks?|please|yes|both|all|ja|danke|bitte|da[smnr]|d[ei][snemr]?|so|sí|que sí|eso|es[aeo]s?|por|porfa|gracias)(?:[^\pL]|$)))|` +
		`^(?:对|對|是|係|嗯|好|要|可以|没错)+(?:的|啊|啦|喽|呀|吧|呢)*(?:[^\pL]|$|就|忘|删|刪|清|抹)|^就是?[它他她这那這]|^[全都两兩][条处條處个]?都?[删刪清忘抹]`)
	refusal = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:no+|nope|nah|not|don['’]?t|never|but|wait|keep|leave|stays?|nein|nee+|ne|nei|nä|nicht|nich|nid|nöd|net|ned|kein\pL*|aber|warte|halt|bleib\pL*|lass|esp[eé]r\pL*|d[eé]ja\pL*|pero|qued\pL*)(?:[^\pL]|$)|不|别|別|留|等|唔|没|但`)
	delay   = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:later|remind\pL*|remember|h[ao]ng on|hold on|maybe|perhaps|save|first|instead|moment|tomorrow|später|vielleicht|erinner\pL*|merk\pL*|behalt\pL*|speicher\pL*|erst|morgen|luego|después|quizás?|tal vez|mañana|gu[aá]rd\pL*|recu[eé]rd\pL*|conserv\pL*|primero|momento)(?:[^\pL]|$)|记|記|提醒|再说|再說|以后|以後|也许|先|保|明天|一会|待会`)
)

// Refuses reports whether a message begins with an answer that is no, in the same languages:
// "nee, das bleibt".
func Refuses(s string) bool { return refuses.MatchString(s) }

var refuses = regexp.MustCompile(`(?i)^\W*(?:nope|nah|nein|nee+|nei|nä|nö|no)(?:[,.!…]|\s+(?:no|not)\b)|^不是`)

// command matches a command to a chat program alone.
var command = regexp.MustCompile(`^/[a-z][a-z_-]{0,30}$`)

// courtesyWords returns the folded words of a text. A run of an unspaced script
// is one word.
func courtesyWords(s string) []string {
	var folded strings.Builder
	for _, r := range s {
		switch {
		case isApostrophe(r):
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			folded.WriteRune(unicode.ToLower(r))
		default:
			folded.WriteByte(' ')
		}
	}
	return strings.Fields(folded.String())
}

// courtesyKind classifies a phrase of small talk.
type courtesyKind uint8

const (
	courtesyFill  courtesyKind = iota + 1 // "so", "very": accompanies another phrase
	courtesyHello                         // greets
	courtesyAsk                           // "how are you": a question without content
	courtesyOther                         // thanks, agrees, refuses, says goodbye
)

// courtesyAt returns the length in words of the longest phrase that words begin
// with, 0 for none.
func courtesyAt(words []string) (n int, kind courtesyKind) {
	for n := min(len(words), longestCourtesy); n > 0; n-- {
		phrase := strings.Join(words[:n], " ")
		if kind := courtesies[phrase]; kind != 0 {
			return n, kind
		}
		// "heyyy", "soooo", "哈哈哈"
		if kind := courtesies[squeeze(phrase)]; n == 1 && kind != 0 {
			return n, kind
		}
	}
	return 0, 0
}

// squeeze shortens runs of three and more equal characters to one.
func squeeze(s string) string {
	runes := []rune(s)
	var out strings.Builder
	for i := 0; i < len(runes); {
		j := i
		for j < len(runes) && runes[j] == runes[i] {
			j++
		}
		keep := j - i
		if keep > 2 {
			keep = 1
		}
		for range keep {
			out.WriteRune(runes[i])
		}
		i = j
	}
	return out.String()
}

const longestCourtesy = 5 // words

var courtesies = func() map[string]courtesyKind {
	m := make(map[string]courtesyKind)
	for _, of := range []struct { // for a phrase in several lists the last one counts
		kind courtesyKind
		list string
	}{{courtesyFill, fillers}, {courtesyOther, acknowledgements}, {courtesyHello, greetings}, {courtesyAsk, courtesyQuestions}} {
		for line := range strings.Lines(of.list) {
			for phrase := range strings.SplitSeq(line, ",") {
				if words := courtesyWords(phrase); len(words) > 0 {
					m[strings.Join(words, " ")] = of.kind
				}
			}
		}
	}
	return m
}()

const fillers = `
so, very, much, a lot, so much, really, and, then, oh, ah, well, again, there, all, everyone, everybody, my friend, for now, then, just, now, to you, you too, for that, for this, for the help, for your help, for everything
sehr, so, und, dann, noch, mal, schon, muy, mucho, mucha, y, pues, amigo, très, tres, bien, et, alors, beaucoup, molto, e, muito, большое, очень, и, ну, тебе, вам, heel, erg
`

const greetings = `
hi, hello, hey, hiya, howdy, yo, greetings, hi there, hello there, hey there, good morning, good afternoon, good evening, good day, morning, evening, welcome back, im back
hallo, guten morgen, guten tag, guten abend, moin, servus, grüezi, grüß gott, gruess gott, hola, buenos días, buenos dias, buenas tardes, buenas noches, buenas
bonjour, bonsoir, salut, coucou, ciao, buongiorno, buonasera, salve, olá, ola, oi, bom dia, boa tarde, boa noite, goedemorgen, goedemiddag, goedenavond, hoi
привет, приветик, здравствуй, здравствуйте, доброе утро, добрый день, добрый вечер, хай, merhaba, selam, günaydın, iyi akşamlar
你好, 您好, 你好啊, 嗨, 哈喽, 早, 早上好, 早安, 下午好, 晚上好, 大家好, こんにちは, こんばんは, おはよう, おはようございます, もしもし, 안녕, 안녕하세요
`

const courtesyQuestions = `
how are you, how are you doing, how are you today, hows it going, how is it going, whats up, what is up, sup, how do you do, are you there, you there, anyone there, ok, okay, right, alright, really, oh really, wie gehts, wie geht es dir, wie geht es ihnen, que tal, qué tal, cómo estás, como estas, ça va, ca va, comment ça va, comment vas tu, come stai, come va, tudo bem, как дела, как ты, как жизнь, nasılsın, 你好吗, 在吗, 你在吗, 吃了吗, お元気ですか, 元気
`

const acknowledgements = `
thanks, thank you, thank u, thx, ty, tysm, cheers, many thanks, thanks a lot, thanks a million, thank you so much, thanks so much, thanks again, much appreciated, appreciate it, i appreciate it, no thanks, no thank you
k, kk, okey, oki, okey dokey, yes, yeah, yep, yup, ya, yea, sure, sure thing, of course, certainly, absolutely, definitely, indeed, exactly, agreed, i agree, correct, thats right, thats correct, youre right, you are right, right on, true, no, nope, nah, no problem, no worries, not really, np, never mind, nevermind, its ok, its okay, its fine, thats fine, all good, im good, im fine, fine, fine by me
got it, i got it, gotcha, understood, i understand, i see, i know, makes sense, that makes sense, noted, fair enough, will do, sounds good, that sounds good, sounds great, sounds like a plan, good, great, good idea, great idea, good job, great job, well done, nice, nice one, cool, awesome, amazing, perfect, excellent, wonderful, fantastic, brilliant, lovely, super, wow, whoa, yay, hooray, haha, hahaha, hehe, lol, lmao, omg, hmm, hm, mm, mhm, uh huh, uhm, um, thats great, thats nice, thats good, thats awesome, that was great, that helps, that was helpful, very helpful, please, please do, go ahead, go on, continue, carry on, next, done, ready, deal, sorry, im sorry, my bad, pardon, excuse me, oops, ouch
bye, bye bye, goodbye, good night, night, gn, see you, see ya, see you later, see you soon, see you tomorrow, later, talk to you later, talk to you soon, talk later, ttyl, take care, have a nice day, have a good day, have a great day, have a good one, have a good night, good luck, cya, farewell, until next time, youre welcome, you are welcome, my pleasure, congratulations, congrats, same here, me too, same
danke, danke schön, danke schoen, danke dir, danke ihnen, vielen dank, besten dank, herzlichen dank, dankeschön, bitte, bitte schön, gern, gerne, gern geschehen, ja, jawohl, klar, na klar, genau, richtig, stimmt, in ordnung, alles klar, verstanden, einverstanden, nein, nee, ne danke, nein danke, gut, toll, prima, klasse, perfekt, wunderbar, schön, tschüss, tschuess, auf wiedersehen, bis bald, bis später, bis morgen, gute nacht, entschuldigung, macht nichts, kein problem
gracias, muchas gracias, mil gracias, de nada, por favor, sí, si, claro, claro que sí, vale, de acuerdo, entendido, bueno, bien, muy bien, perfecto, genial, estupendo, excelente, adiós, adios, hasta luego, hasta mañana, hasta pronto, nos vemos, lo siento, perdón, no gracias
merci, merci beaucoup, merci bien, de rien, je vous en prie, sil vous plaît, sil te plaît, oui, ouais, non, non merci, daccord, entendu, compris, cest bon, parfait, super, génial, au revoir, à bientôt, à demain, à plus, bonne nuit, bonne journée, pardon, désolé
grazie, grazie mille, tante grazie, prego, per favore, sì, certo, va bene, daccordo, capito, perfetto, ottimo, arrivederci, a presto, a domani, buonanotte, scusa, obrigado, obrigada, muito obrigado, muito obrigada, de nada, sim, não, nao, tá, tá bom, ta bom, certo, entendi, perfeito, ótimo, tchau, até logo, até amanhã, valeu, desculpa
dank je, dank je wel, dankjewel, dank u, dank u wel, bedankt, hartelijk dank, graag gedaan, alsjeblieft, ja hoor, nee, oké, prima, goed, mooi, doei, tot ziens, tot straks, welterusten
спасибо, большое спасибо, спасибо большое, спс, благодарю, пожалуйста, не за что, да, ага, угу, конечно, хорошо, ок, окей, ладно, понятно, понял, поняла, ясно, договорились, согласен, согласна, отлично, супер, класс, круто, здорово, прекрасно, замечательно, нет, нет спасибо, неа, пока, до свидания, до встречи, до завтра, увидимся, спокойной ночи, доброй ночи, извини, извините, прости, простите, ничего страшного
teşekkürler, teşekkür ederim, çok teşekkürler, sağol, sağ ol, rica ederim, lütfen, evet, hayır, tamam, peki, olur, anladım, harika, süper, güle güle, hoşça kal, görüşürüz, iyi geceler
谢谢, 谢谢你, 谢谢您, 谢谢啦, 谢了, 多谢, 非常感谢, 太感谢了, 感谢, 不客气, 不用谢, 没关系, 没事, 没问题, 好, 好的, 好吧, 好啊, 好呀, 好哒, 好的谢谢, 好的谢谢你, 嗯, 嗯嗯, 嗯好, 哦, 噢, 喔, 行, 行吧, 可以, 当然, 对, 对的, 对啊, 是, 是的, 是啊, 不, 不是, 不用了, 不用, 没有, 知道了, 我知道了, 明白, 明白了, 我明白了, 懂了, 了解, 收到, 同意, 哈, 呵, 嘿, 太好了, 太棒了, 真棒, 不错, 很好, 棒, 厉害, 哈哈, 呵呵, 嘿嘿, 再见, 拜拜, 晚安, 回头见, 明天见, 对不起, 抱歉, 不好意思, 请, 继续, 謝謝, 謝謝你, 多謝, 感謝, 不客氣, 沒關係, 沒問題, 對, 當然, 再見
ありがとう, ありがとうございます, ありがとうございました, どうも, どういたしまして, はい, うん, ええ, いいえ, いや, わかった, わかりました, 分かりました, 了解です, 了解しました, 承知しました, なるほど, そうですね, いいね, いいですね, すごい, 最高, お願いします, すみません, ごめん, ごめんなさい, 大丈夫, 大丈夫です, さようなら, またね, じゃあね, おやすみ, おやすみなさい
고마워, 고마워요, 감사합니다, 고맙습니다, 네, 예, 응, 아니, 아니요, 알겠어, 알겠습니다, 알았어, 좋아, 좋아요, 그래, 그래요, 맞아, 맞아요, 괜찮아, 괜찮아요, 미안, 미안해, 죄송합니다, 잘가, 안녕히 가세요, 안녕히 계세요, 잘자, 안녕히 주무세요
`
