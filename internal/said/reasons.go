package said

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// givesReason reports whether a clause says why something should be forgotten, by language:
// it was private or should not have been said, is untrue or over.
func givesReason(clause string) bool { return reasons.MatchString(clause) || isSecret(clause) }

var reasons = prefilter.New(
	`(?i)(?:^|[,;:–—-])\s*(?:(?:because|since|as|cos|cause|sorry) )?(?:(?:it|that|this|they|those|these|he|she)(?:['’](?:s|re|d))?\s+)?(?:(?:is|are|was|were|has|have|had|been|be|not|isn['’]?t|wasn['’]?t|aren['’]?t|doesn['’]?t|didn['’]?t|never|no|all|just|now|too|very|really|rather|quite|already|long|so|got|a|an|my|only|to) ){0,4}`+
		`(?:private|secret|confidential|personal|embarrassing|sensitive|delicate|nonsense|none of (?:your|any)|nobody['’]?s business|true|untrue|false|wrong|incorrect|outdated|out of date|obsolete|mistake|lie|joke|mix-?up|typo|over|off|done|finished|settled|sorted|resolved|cancell?ed|called off|sold|gone|expired|closed|longer|changed|matters?|relevant|important|history|old news)\b`+
		`|\b(?:i|we) (?:really )?(?:should(?:n['’]?t| not| never)(?: have)?|wish (?:i|we) had|regret|didn['’]?t mean to|never meant to|(?:wasn['’]?t|was not) (?:supposed|meant|allowed) to|made (?:it|that|this|them) up|lied|was (?:wrong|joking|kidding|mistaken)|turned (?:it|that|them) down|called (?:it|that|them) off|got rid of|mixed (?:it|that|them) up|don['’]?t (?:want|like) (?:you|it|that|this))\b`+
		`|\b(?:i|we)(?:['’]ve)? (?:have |already |since |just )*(?:sold|cancell?ed|quit|left|dropped|returned|moved|changed)(?: (?:it|that|them|him|her|there))?(?: (?:already|now|ages|long|last|yesterday|since)[^,]*)?\W*$`+
		`|\b(?:reads?|sees?|looks?|checks?|uses?|borrows?|finds?|found)(?: \pL+)? (?:over my shoulder|my (?:screen|phone|messages|chats?|laptop)|this (?:phone|account|laptop|chat)|out)\b|\b(?:would|['’]d) (?:kill|hate)\b`+
		`|\bthe (?:one|bit|part|thing|stuff) (?:that )?i (?:just )?(?:told|said|mentioned|gave|wrote|shared)\b`,
	`(?i)(?:^|[,;:–—-])\s*(?:(?:weil|denn|da) )?(?:(?:das|es|der|die|sie|er|dies|ist|war|sind|waren|hat|haben|wurde|wurden|stimmt|gilt|geht|gehört|ja|schon|doch|nur|so|zu|mir|nicht|nie|gar|eh|längst|jetzt|alles|ein|eine|mein|sehr|ziemlich|sich|hatte|ich|bin|hab|habe|bereits|inzwischen) ){0,6}`+
		`(?:privat|geheim|vertraulich|persönlich|peinlich|heikel|falsch|unwahr|gelogen|erfunden|quatsch|unsinn|irrtum|fehler|scherz|witz|vorbei|erledigt|abgesagt|ausgefallen|geklärt|veraltet|überholt|verkauft|weg|mehr|wahr|gekündigt|geändert|umgezogen|niemand\w* an|kein\w* an)(?:[^\pL]|$)`+
		`|(?:hätte?|sollte?|wollte?|will|möchte|durfte?) (?:\pL+ ){0,3}?(?:nicht|nie) (?:\pL+ ){0,3}?(?:sag|erzähl|erwähn|verrat|schreib|gespeicher|merk|weißt|wiss)`,
	`(?i)(?:^|[,;:–—-])\s*(?:(?:porque|que|pues|ya que) )?(?:(?:eso|esto|ya|no|era|es|fue|está|estaba|son|eran|muy|algo|un|una|lo|la|se|me|he|ha|han|mi|todo|demasiado) ){0,5}`+
		`(?:privad|secret|confidencial|personal(?:[^\pL]|$)|íntim|vergonz|delicad|mentira|verdad|ciert|fals|error|broma|invent|equivo|cancel|anul|acab|termin|pasó|vendí|vendid|dejé|mudé|mudad|importan?(?:[^\pL]|$)|sirven?(?:[^\pL]|$))`+
		`|(?:^|[^\pL])no (?:deb|ten[íd]|quer[íe]|quier)\pL*[^,.]*(?:dich|dec[ií]|cont|mencion|guard|sep|record)`,
	`私人|隐私|秘密|保密|丢人|尴尬|不该(?:说|讲|提|告诉)|不想(?:让|再)|后悔|说漏|[说讲记搞弄]错|不是真的|假的|骗|编的|瞎说|开玩笑|取消|结束|过去了|作废|过期|不用了|不要了|卖了|卖掉|分手|不住|搬[走家了]|换[了号]|改了|没用了|不重要|别[存记留]`,
)

// saysWhy reports whether a clause after a comma only gives a reason: "forget the
// offer, I turned it down".
func saysWhy(t []token) bool {
	return len(t) > 0 && whyWords[t[0].word]
}

var whyWords = wordSet("i it it's that that's they they're this we he she because since das es ich sie er wir weil porque ya es eso fue lo 我 那 这 因 不 别")

// toKnow matches who is not to know, before what that is.
var toKnow = regexp.MustCompile(`(?i)^.*?(?:\b(?:know|hear|find out|learn|be told|wissen|erfahren|saber|enterarse|se entere)(?:,? (?:about|of|that|davon|dass|que|de))?(?:[^\pL]|$)|知道)`)

// notToKnow matches that somebody is not to know, from the verb to the end, by language: "Dr Lund
// doesn't need to know", "nobody is supposed to know".
var notToKnow = prefilter.New(
	`(?i)(?:\b(?:should|must|need|ought)(?: not|n['’]?t| never)|(?:\b(?:is|are|was|were|does|do)(?: not|n['’]?t| never)|['’](?:s|re) (?:not|never))(?: (?:really|even|ever|yet))?(?: (?:supposed|meant|allowed|to|need|have|want|got)){1,3})(?: [\pL'’]+){0,4}? (?:know|hear|find out|learn|be told|see|read)\b.*$`,
	`(?i)\b(?:no[ -]?(?:one|body)|not a soul|none of \pL+(?: \pL+)?)(?: else)?(?:['’]s)?(?: (?:is|are|was|should|must|may|can|needs?|has|ought|supposed|meant|allowed|to|ever|really|else|going)){0,5} (?:know|hear|find out|learn|be told|see|read)s?(?: (?:about|of|that|this|it|yet))*\s*(?:[.,;!].*)?$`,
	`(?i)\bdo(?:es)?(?: not|n['’]?t) know(?: (?:yet|anything|(?:about|of) (?:it|this|that|any of (?:it|this|that))))+\s*(?:[.,;!].*)?$`,
	`(?i)\b(?:(?:soll|darf|dürf|muss|muß|müss|brauch)\pL*(?: \pL+){0,5}? (?:nicht|nich|net|ned|nit|nie|niemals|nichts|nix|kein\pL*|niemand\pL*)|(?:keine[rm]?|niemand\pL*) (?:soll|darf|muss|muß|braucht)\pL*)(?: \pL+){0,5}? (?:wissen|wiss|erfahren|mitbekommen|mitkriegen|rauskriegen|rausfinden|herausfinden|hören|lesen)(?:[^\pL].*)?$`,
	`(?i)\b(?:will|wollen|wollte|möchte|mag)(?: \pL+){0,2}? (?:nicht|nich|net|ned|nit),? dass? (?:\pL+ ){1,5}(?:weiß|weiss|wissen|erfährt|erfahren|mitbekommt|mitkriegt|hört)(?:[^\pL].*)?$`,
	`(?i)\b(?:weiß|weiss|wissen) (?:\pL+ ){0,2}?(?:nichts|nix) davon\PL*$`,
	`(?i)(?:^|[^\pL])(?:no|nadie|nunca)(?: \pL+){0,2}? (?:tienen?|deb[eí]\pL*|puede\pL*|quier[eo]\pL*|necesita\pL*|hace falta)(?: \pL+){0,4}? (?:saber|sepa|enterar|entere|leer|oír)\pL*(?:[^\pL].*)?$`,
	`(?i)(?:^|[^\pL])que (?:\pL+ ){0,3}?(?:no|nadie)(?: \pL+){0,3}? (?:sepa|entere|lea)n?(?:[^\pL].*)?$|(?:^|[^\pL])(?:nadie l[oa] sabe|no l[oa] sabe nadie)\PL*$`,
	`(?:不能|不要|别|不该|不用|不必|没必要|不想|不许|不准|不可以|不希望|不愿意?|没人)[^，。！？,]{0,10}(?:知道|晓得|听到|听说|发现|看到|看见)[^，。！？,]{0,4}$`,
)

var (
	// nobodyIs matches what notToKnow matches if it begins with the one who is not to know.
	nobodyIs = regexp.MustCompile(`^(?i:no[ -]?(?:one|body)\b|not a soul|none|keine|niemand|nadie|que )`)
	// negatedVerb matches it if it begins with an English verb, which follows who is not to know.
	negatedVerb = regexp.MustCompile(`^['’]?(?i:should|must|need|ought|is|are|was|were|do|s|re)`)
	// joinsReason matches what may stand before a reason.
	joinsReason = regexp.MustCompile(`(?i)[,;:–—，]|(?:^|[^\pL])(?:because|cos|cause|so|so that|and|but|weil|denn|damit|und|aber|porque|pues|para|y|pero)(?:[^\pL]|$)|因为`)
	// keptFrom matches who is not to know at the end of what stands before the verb, for texts
	// without marks: "… about Ann my mum | mustn't know".
	keptFrom = regexp.MustCompile(`(?i)(?:^|[^\pL])((?:he|she|they|it|that|this|er|sie|es|der|die|das|dies|eso|(?:mr|mrs|ms|miss|dr|prof|doctor|doktor|frau|herr|señora?|doctora?)\.? \pL+|(?:my|our|his|her|the|mein\pL*|unser\pL*|der|die|das|mi|su|el|la) (?:(?:dr|doctora?|doktor|frau|herr|señora?)\.? )?\pL+))\s*$`)
	// onlyThing matches an object that a relative clause describes: "the thing my mum mustn't know".
	onlyThing = regexp.MustCompile(`(?i)^\PL*(?:(?:the|that|this|all|whole|about|was|das|die|der|den|sache|ding|alles|lo|la|el|cosa|algo|todo|what|everything|something|thing|stuff|bit|part|one|secret)s?\PL+)*$`)
)

// mostWhom is the maximum number of words for who is not to know.
const mostWhom = 6

// whoNotToKnow returns where a clause begins in s that says who is not to know it, -1 for none. It
// is a reason to forget something, and its words say nothing of what that is.
func whoNotToKnow(s string) int {
	at := notToKnow.FindStringSubmatchIndex(s)
	if at == nil {
		return -1
	}
	verb := strings.TrimLeft(s[at[0]:], " ,;:.–—-")
	lo := len(s) - len(verb)
	before := s[:lo]
	words := strings.Fields(before)
	switch {
	case len(words) > 0 && tellsNothing[foldWord(words[len(words)-1])]: // "I shouldn't know"
		return -1
	case nobodyIs.MatchString(verb):
		return lo
	}
	joins := joinsReason.FindAllStringIndex(before, -1)
	if r, _ := utf8.DecodeRuneInString(verb); len(joins) == 0 && isHan(r) {
		return lo
	}
	if len(joins) == 0 {
		if m := keptFrom.FindStringSubmatchIndex(before); m != nil && !onlyThing.MatchString(before[:m[2]]+" ") {
			return m[2]
		}
		return -1
	}
	last := joins[len(joins)-1]
	whom := before[last[1]:]
	switch n := len(strings.Fields(whom)); {
	case n > 0 && n <= mostWhom:
		return last[0]
	case n > 0:
	case !negatedVerb.MatchString(verb):
		return last[0]
	case len(joins) > 2: // "…, Dr Lund, my GP, mustn't know"
		return joins[len(joins)-3][0]
	}
	return -1
}

// tellsNothing are subjects of which such a verb gives no reason.
var tellsNothing = wordSet("i we you ich wir du yo tú")

// isSecret reports whether a clause only says who is not to know something.
func isSecret(clause string) bool {
	const mark = ", "
	at := whoNotToKnow(mark + strings.TrimLeft(clause, " ,;:–—-，"))
	return at >= 0 && at <= len(mark)
}
