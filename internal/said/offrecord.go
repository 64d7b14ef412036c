package said

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// offWords are the words that say "off the record", also misspelt, and pausedWords those that say so
// only beside a pause: "que no conste mi nombre" is about something else.
const (
	offWords    = `(?:off?[ -]*(?:the|teh|th|da|de)?[ -]*rec+(?:ord|rod|rd|od|or)\b|not for the record\b|nicht (?:f(?:ü|ue)rs|f(?:ü|ue)r das) protokoll\b)`
	pausedWords = `(?:(?:ohne|au(?:ß|ss)erhalb des) protokolls?|nicht (?:ins protokoll|zum mitschreiben)|fuera de (?:registro|r[eé]cord|actas?|micr[oó]fonos?)|` +
		`(?:sin que|que (?:est?o |eso )?no) (?:conste|quede constancia)(?: en (?:el )?(?:actas?|registro|ning[uú]n (?:lado|sitio)))?)`
)

// unofficial are words that say so only before a colon or a dash: "unofficially, sales fell" reports.
const unofficial = `(?:unofficially|inoffiziell|extraoficial(?:mente)?|(?:请)?(?:不要|别|勿)(?:做|作|留)?(?:记录|記錄|紀錄))`

// unofficialHan are words that say so before a pause.
const unofficialHan = `(?:(?:咱们?|我们?)?私(?:下|底下)(?:里|跟你|和你|悄悄)*(?:说|講|讲)(?:一?句|个事|几句)?|(?:不公开|非正式)地?(?:说|讲)(?:一?句)?|关起门来?(?:说|讲)|` +
	`(?:这|以下|下面|接下来)[^，。：,:]{0,6}(?:不|别|勿|莫)[^，。：,:]{0,3}(?:记录|录音|入档|留底|留案|备案|记下来))`

// offOpeners may stand before such words, and offClosers after them.
const (
	offOpeners = `(?:(?:hey|hi|ok(?:ay)?|so|psst+|btw|also|and|but|well|just|look|listen|oh|strictly|completely|totally|speaking|this (?:one )?is|this one['’]?s|that['’]?s|it['’]?s|` +
		`also|und|aber|mal|jetzt|ganz|streng|rein|nur|hör mal|das ist|das hier ist|dies ist|das bleibt|oye|mira|pues|y|pero|esto es|eso es|esto va|va|entre nosotros|` +
		`那个|对了|嗯|哎|唉|说句|说个|讲个|这(?:话|句|个|事)?(?:是)?)[\s,，:–—-]*)*`
	offClosers = `(?:[\s,]*(?:please|pls|ok(?:ay)?|btw|bitte|gell|ne|por favor|porfa|vale|eh|哦|啊|哈|吧|的))*`
)

// offHead matches them at the beginning of a sentence, with what follows as its group, and offTail at
// its end after a pause, or as what it says of itself.
var (
	offHead = prefilter.New(`(?i)^[\s\pP]*`+offOpeners+offWords+`(.*)$`, `(?i)^[\s\pP]*`+offOpeners+unofficial+`[\s)]*(?:[:：–—]|-+\s)(.*)$`,
		`(?i)^[\s\pP]*`+offOpeners+`(?:`+pausedWords+`|`+unofficialHan+`)[\s)）]*(?:[:：,，–—]|-+\s)(.*)$`)
	offTail = prefilter.New(`(?i)(?:[,，;:–—(\[（]|\s-+)\s*`+offOpeners+`(?:`+offWords+`|`+pausedWords+`|`+unofficialHan+`)`+offClosers+`[\s)\]）]*$`,
		`(?i)\b(?:this|that|it|all (?:of )?(?:this|that))(?:['’]?s| is| stays| must stay| has to stay| remains)(?: (?:all|strictly|completely|totally))? `+offWords+offClosers+`[\s)\]]*$`,
		`(?i)\b(?:keep|leave) (?:this|that|it|all (?:of )?(?:this|that)) (?:strictly )?`+offWords,
		`(?i)\b(?:das|dies|es|alles)(?: hier)? (?:ist|bleibt)(?: (?:alles|aber|bitte|streng|ganz|jetzt))* `+offWords+offClosers+`[\s)\]]*$`,
		`(?i)(?:^|[^\pL])(?:est?o|eso|todo(?: est?o)?) (?:es|va|queda|que quede)(?: (?:todo|totalmente|estrictamente))? (?:`+offWords+`|`+pausedWords+`)`+offClosers+`[\s)\]]*$`)
	offBare = prefilter.New(`(?i)\soff[ -]+(?:the|teh|th|da)[ -]*rec+(?:ord|rod|rd|od)\b` + offClosers + `[\s)\]]*$`)
)

// offNouns match what follows the words where they only describe something: "off the record talks",
// "off the record means", "off the record?". speaking matches verbs of saying and being, of which they
// tell how somebody did that: "he confirmed it off the record".
var (
	offNouns = regexp.MustCompile(`(?i)^[\s"”’)]*(?:[?？吗嗎]|(?:is|was|are|were|isn['’]t|means?|meaning|or|vs|versus|by|in|on|at|with|for|to|from|interviews?|conversations?|talks?|chats?|comments?|remarks?|briefings?|meetings?|discussions?|statements?|quotes?|sources?|podcasts?|shows?|books?|albums?|songs?|films?|movies?|series|bands?|players?|stores?|labels?|modes?|buttons?|settings?|options?|messages?|sections?|columns?|policy|policies|rules?|information|deals?|access|` +
		`heißt|heisst|bedeutet|ist|war|sind|oder|gespräche?|interviews?|runden?|modus|treffen|aussagen?|informationen|zitate?|significa|quiere|es|era|son|charlas?|reunión|reuniones|entrevistas?|conversación|conversaciones|declaraciones|comentarios?|modo|informaci[oó]n)(?:[^\pL]|$)|是|指|的[^，,：:]|模式|什么|怎么|采访)`)
	speaking = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:say(?:s|ing)?|said|tell(?:s|ing)?|told|talk(?:s|ed|ing)?|sp(?:eak|eaks|oke|oken|eaking)|chat(?:s|ted)?|ask(?:s|ed)?|me(?:e|)t(?:s|ing)?|discuss\pL*|interview\pL*|confirm\pL*|admit\pL*|mention\pL*|comment\pL*|repl\pL+|answer\pL*|quot\pL+|hear|heard|go|goes|going|went|gone|not|never|stay\pL*|remain\pL*|` +
		`sag\pL*|gesagt|red\pL+|geredet|sprech\pL*|sprach\pL*|gesprochen|erzähl\pL*|bestätig\pL*|verriet|verraten|nann\pL+|mein\pL+|erklär\pL*|äußer\pL*|nicht|traf\pL*|` +
		`dij[eo]\pL*|dic[eh]\pL*|decir|cont[oóa]\pL*|habl\pL*|confirm\pL*|coment\pL*|admiti\pL*|reconoc\pL*|pregunt\pL*|declar\pL*|no|reuni\pL*)(?:[^\pL]|$)|(?:^|[^\pL])(?:be|been|being|is|are|was|were|war(?:en)?|ist|sind|sein|fue|era|es|son)$`)
	saidLast = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:says?|said|tells?|told|spoke|talked|confirmed|admitted|mentioned|asked|replied|commented|stated|sagte[nt]?|gesagt|erzählte?n?|bestätigte?n?|verriet|redeten?|sprach(?:en)?|dijo|dijeron|dice[n]?|contó|contaron|confirmó|comentó|admitió|habl(?:ó|amos|aron)|[说說讲]了?)(?:\s+\pL+){0,3}[\s\pP]*$`)
)

// offRecord reports whether a sentence says at its beginning or end that it is off the record. What
// somebody else said so, what is only called so and questions for it do not.
func offRecord(message string) bool {
	for _, s := range text.Sentences(message) {
		if titled.MatchString(s) {
			continue
		}
		own := strings.TrimRight(s, ".!?…。！？ \n")
		asks := strings.ContainsAny(s[len(own):], "?？")
		if at := offHead.FindStringSubmatchIndex(own); at != nil {
			if after := own[groupAt(at):]; !offNouns.MatchString(after) && (!asks || strings.ContainsFunc(after, unicode.IsLetter)) {
				return true
			}
		}
		if asks {
			continue
		}
		if at := offTail.FindStringSubmatchIndex(own); at != nil && !saidLast.MatchString(own[:at[0]]) {
			return true
		}
		if at := offBare.FindStringSubmatchIndex(own); at != nil && !speaking.MatchString(own[:at[0]]) && len(strings.Fields(own[:at[0]])) >= leastBefore {
			return true
		}
	}
	return false
}

// leastBefore is how many words a sentence has before them if no pause does.
const leastBefore = 3

// groupAt returns where the group that matched begins.
func groupAt(at []int) int {
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			return at[i]
		}
	}
	return at[1]
}

// titled matches it as a name, what is taken off a record, and what else only begins so. A verb before a
// pause is of what is said off the record: "we got hacked, off the record".
var titled = regexp.MustCompile(`\pL.*\bOff [Tt]he Record\b|(?i:\b(?:took|takes?|clean\w*|wip\w+|peel\w*|struck|strike|scratch\w*)\b[^,，;:()–—-]*\boff the record\b|off the record (?:player|sleeve|shelf)|protokoll,? sondern)`)
