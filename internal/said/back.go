package said

import (
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// back returns the request of a message that says nothing but to forget the one before it: "vergiss wat
// ich grad geschrieben hab", "delete my last message", 上一条撤回. Its object names nothing and points
// back. Idioms such as "forget it" and 算了 are none, nor are orders about a text, "delete the last
// sentence".
func back(message string) (Request, bool) {
	if len(message) > mostLoose/2 || quotation.MatchString(message) || strings.ContainsAny(message, "?？") {
		return Request{}, false
	}
	words := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(message, "’", ""), "'", ""))
	words = strings.Join(strings.FieldsFunc(words, notOfWord), " ")
	if !backForms.MatchString(words) {
		return Request{}, false
	}
	return Request{Verb: Forget, Sentence: strings.TrimSpace(message), Back: true, LastSentence: lastSentence.MatchString(words)}, true
}

func notOfWord(r rune) bool {
	return r == ' ' || r == '\n' || strings.ContainsRune(",.;:!…–—-，。；：！、~()（）", r)
}

// Parts of backForms, of words without marks: what may precede the request, the messages that it may point
// at, verbs of forgetting and of deleting, what may follow, and reasons, behind which nothing else follows.
const (
	englishLead = `(?:(?:no|nope|wait|omg|oh|shit|crap|oops|whoops|ugh|ok|okay|actually|sorry|please|pls|plz|hey|hang on|hold on|god|erm|um|and|so|but|can (?:you|u)|could (?:you|u)|just|ah|argh|lol|stop|quick|quickly|second thoughts|on second thoughts|my bad|damn|ffs|eek|yikes) )*`
	englishSent = `(?:(?:what|everything|all|the thing|the stuff|that thing|the bit) (?:that )?i(?:ve)? (?:(?:literally |only )?just(?: now)? (?:said|wrote|typed|sent|told (?:you|u)|put|posted|shared|texted|confessed|wrote you|sent (?:you|u))|(?:said|wrote|typed|sent|told (?:you|u)|put|texted) (?:just now|right now|there just now|a (?:sec|second|min|minute|moment) ago|above))(?: (?:there|above|to (?:you|u)))?` +
		`|(?:my|the|that|this) (?:very )?(?:last|previous) (?:(?:message|msg|mesage|messege)(?: i (?:just )?(?:sent|wrote|said|typed))?|(?:text|comment|one) i (?:just )?(?:sent|wrote|said|typed))|that (?:message|msg)(?: i just sent)?)`
	englishUnit   = `(?:(?:my|the|that|this) (?:very )?(?:last|previous) (?:sentence|line|bit|part|thing)(?: i (?:just )?(?:sent|wrote|said|typed))?)`
	englishForget = `(?:forget|disregard|(?:dont|do not) (?:save|keep|store|remember|log|record))`
	englishDelete = `(?:delete|erase|scrub|wipe|remove|bin|ditch|unsave|get rid of|take back)`
	englishWhy    = `(?:what am i (?:doing|saying|thinking)|i (?:should ?n(?:t|ot)|shouldnt) (?:have|of|a)? ?(?:said|sent|wrote|told|typed|shared)(?: (?:it|that|you))?|i didnt mean (?:it|that|to send (?:it|that))|(?:that was|it was|its|thats|thats way|its way)? ?(?:too )?(?:embarrassing|mortifying|private|personal|risky|dangerous|silly|stupid|daft|cringe|much|wrong|meant for .{1,30}|not for (?:you|u)|for someone else|(?:the )?wrong (?:chat|person|window|thread))|wrong (?:chat|person|window|thread)|im (?:embarrassed|mortified|ashamed)|(?:scrub|delete|bin|erase|forget|wipe) (?:it|that|this)|nobody needs (?:that|to know)|never happened|slip of the (?:tongue|finger)|my mistake)`
	englishTail   = `(?: (?:again|now|right now|straight away|immediately|at once|please|pls|plz|thanks|thank you|ta|quick|quickly|asap|from (?:your |ur )?memory|ok|okay|yeah|will (?:you|u)|would (?:you|u)))*`

	germanLead   = `(?:(?:nee|nein|ne|nö|ach|oh|ups|upps|uups|moment|momentma|stopp|stop|halt|warte|wart|wart mal|warte mal|ey|hömma|du|sorry|entschuldigung|entschuldige|bitte|ok|okay|aber|und|mist|scheiße|shit|äh|oje|puh|na|doch|komm|mensch|kannste|kannst du|könntest du|omg|ach so|lieber|gott) )*`
	germanBeside = `(?:(?:mal|ma|bitte|doch|lieber|einfach|schnell|sofort|gleich|wieder|jetzt|jetz|ganz|bloß|besser|direkt|umgehend|komplett|danke|ja|ok|okay|ne|aus deinem gedächtnis) )*`
	germanSent   = `(?:(?:(?:das|dat|alles) )?(?:was|wat|wos) (?:ich|i|isch) (?:(?:dir|da|hier|mal) )*(?:grad|grade|gerade|eben|gerade eben|grad eben|jetzt|jetz|soeben|vorhin)(?: (?:dir|da|hier|eben|erst|noch))* (?:gesagt|geschrieben|gschrieben|gsagt|getippt|erzählt|geschickt|verraten|gebeichtet)(?: (?:hab|habe))?|(?:das|dat) (?:eben|gerade|grad|soeben|vorhin) (?:gesagte|geschriebene|erzählte|getippte|geschickte)|(?:meine|die|diese|mein|das) (?:aller)?(?:letzte|letztes|vorige|vorherige) (?:nachricht|message|mitteilung))`
	germanUnit   = `(?:(?:meinen|den|diesen) (?:aller)?(?:letzten|vorigen) (?:satz|teil)|(?:meine|die|diese) (?:letzte|vorige) zeile)`
	germanForget = `(?:vergiss|vergiß|vergesst|vergess|vergessen sie|vergessen se)`
	germanDelete = `(?:lösch|lösche|löschen sie|löscht|streich|streiche|streichen sie|entfern|entferne|tilg)`
	germanThat   = `(?:das|dat|dit|des|dies)`
	germanWhy    = `(?:(?:(?:das|dat|es|et|des) )?(?:is|ist|war|wär|wäre|geht|gehört)? ?(?:mir )?(?:doch |ja |nur |gar )?(?:peinlich|zu (?:heiß|privat|persönlich|peinlich|riskant|gefährlich|heikel)|unangenehm|quatsch|blödsinn|nicht so gemeint|nich so gemeint|nicht für dich(?: (?:bestimmt|gedacht))?|nich für dich(?: (?:bestimmt|gedacht))?|für (?:jemand(?:en)? anders|wen anders)|(?:der |im |in den )?falscher? chat|im falschen chat|falsches fenster|(?:niemanden?|keinen?|dich nich|dich nicht)(?: (?:was|wat))? an|ein versehen|versehentlich|vertippt|dumm von mir|privat|geheim|raus|rausgerutscht|mir (?:so )?rausgerutscht|unter uns)|war falsch|falscher chat|hätt(?:e)? (?:ich|i) nich?t? (?:sagen|schreiben|erzählen) (?:sollen|dürfen)|hab mich (?:vertippt|verschrieben)|hab mich im chat geirrt|(?:das|dat) (?:braucht|muss) (?:keiner|niemand) (?:zu )?wissen)`

	spanishLead   = `(?:(?:no (?:espera|espere|mejor|no)|ay no|ay|uy|ups|oye|oiga|espera|espere|esperate|perdon|perdón|por favor|porfa|porfavor|mejor|mijo|mija|dios|dios mio|ok|bueno|y|pero|ya|que pena|disculpa|disculpe|uff|puedes|puede|podrias|hagame el favor y|rapido) )*`
	spanishSent   = `(?:(?:(?:todo )?lo|eso|esto) que (?:(?:te|le|les|os) )?acabo de (?:decir|escribir|contar|poner|mandar|enviar|confesar)(?:te|le|les)?|(?:(?:todo )?lo|eso) que (?:(?:te|le|les) )?(?:recien |recién |justo )?(?:dije|escribi|escribí|conte|conté|puse|mande|mandé|envie|envié) (?:ahorita|recien|recién|ahora mismo|ahora|orita|justo ahora|hace un (?:momento|minuto|rato|ratico|segundo))|(?:el|mi|ese|este) (?:ultimo|último) (?:mensaje|whatsapp)(?: que (?:(?:te|le) )?(?:mande|mandé|envie|envié|escribi|escribí))?|(?:el|mi) mensaje anterior|(?:eso|lo) (?:ultimo|último) que (?:(?:te|le) )?(?:dije|escribi|escribí|puse|conte|conté|mande|mandé))`
	spanishUnit   = `(?:(?:la|mi|esa) (?:ultima|última) (?:frase|linea|línea|oracion|oración|parte)|(?:la|mi) frase anterior)`
	spanishForget = `(?:olvida|olvide|olvidá|olvidate de|olvídate de|olvidese de|olvídese de|no (?:guardes|guarde|recuerdes|recuerde|anotes|anote|registres|registre|apuntes|apunte|tengas en cuenta|tenga en cuenta))`
	spanishDelete = `(?:borra|borre|borrá|elimina|elimine|quita|quite|suprime|suprima|bota|bote)`
	spanishThem   = `(?:b[oó]rr[ae]l[oa]|olv[ií]d[ae]l[oa]|qu[ií]t[ae]l[oa]|elim[ií]n[ae]l[oa]|no lo (?:guarde|guardes|anote|anotes))`
	spanishWhy    = `(?:(?:que|es que|fue|era|por que|porque|me) )*(?:fue|era|es|me da|me dio)? ?(?:la rabia|la emocion|un error|error|sin querer|muy (?:privado|personal|peligroso|bobo)|privado|personal|secreto|un secreto|(?:secreto|cosa) de .{1,30}|pena|verg[uü]enza|que (?:pena|oso|verg[uü]enza)(?: .{1,20})?|(?:pena|oso|verg[uü]enza)(?: tan grande)?|no era (?:para|pa) (?:ti|usted|vos)|era (?:para|pa) otra persona|me equivoqu[eé](?: de (?:chat|persona))?|no (?:deb[ií]|tenia que|debia) (?:decir|contar|escribir)(?:lo|te|le)?|nadie tiene que saber(?:lo)?|yo soy muy bocona)`
	spanishTail   = `(?: (?:por favor|porfa|porfavor|gracias|ya|ya mismo|ahora|ahora mismo|rapido|enseguida|de una|de inmediato|mijo|mija|si|vale|de tu memoria|de su memoria))*`

	hanBack   = `(?:我?(?:刚刚|刚才|方才|刚)我?(?:说|发|讲|写|打|提|告诉你)(?:的|过的|出去的)(?:那[^ ]{0,6}|话|消息|东西|内容|都|全部)?|(?:我的?)?(?:上|前)(?:面)?(?:一?条|一句)(?:消息|信息|话|内容)?|刚(?:刚|才)?那(?:条|句|段|个)(?:消息|信息|话)?|(?:我的?)?最后(?:一|那)?(?:句|条)(?:话|消息)?)`
	hanDelete = `(?:你|就|请|都|给我|帮我|麻烦|快|赶紧|也|全|快点|可以|能不能|要|就当| )*(?:别|不要|莫)(?:留|记|存|保存|记录|记住|收录)(?:着|了|下来|下|住|档)?|(?:你|就|请|都|给我|帮我|麻烦|快|赶紧|也|全|快点|可以|要| )*(?:忘了|忘掉|忘记|删了|删掉|删除|撤回|撤了|撤掉|抹掉|清掉|作废)(?:吧|掉|了|哈|好吗)*|(?:你|就)*当(?:我)?(?:没说过?|没发过?|没看见|没看到)`
	hanWhy    = `(?: ?(?:太?(?:丢人|尴尬|危险|私密|不好意思|羞耻|社死)了?|不安全|发错了?人?|打错了?|手滑了?|说错了?|不该(?:说|发)的?|失言了?|当我[^ ]{0,4}没[^ ]{0,3}|不是(?:发|说|给)给?你的|别让人看见|谢谢|拜托|哈|吧|啊))*`
	hanLead   = `(?:(?:啊|哎呀?|等下|等等|等一下|不对|不是|那个|天|完了|糟了|算了|额|呃|拜托|麻烦你?|请你?|快|赶紧|哦|喂|帮我|sorry|抱歉|不好意思) ?)*`
)

// backForms match such messages whole, by language.
var backForms = prefilter.New(
	`^`+englishLead+`(?:(?:`+englishForget+`|`+englishDelete+`) `+englishSent+`|`+englishForget+` `+englishUnit+`|(?:`+englishForget+`|delete|erase|scrub|wipe) (?:that|tht)|unsave this)`+englishTail+`(?: `+englishWhy+englishTail+`)*$`,
	`^`+englishLead+`(?:sorry )?(?:(?:that|this|it) (?:was|is)|(?:that|this)s|that|) ?(?:meant|intended|supposed to be|not|for|the)? ?(?:for .{1,20} not (?:for )?(?:u|you)|not for (?:you|u)|for (?:someone|somebody) else|wrong (?:chat|person|window|thread))(?: so)?(?: please| pls)* (?:forget|delete|bin|scrub|ignore|erase|wipe|disregard) (?:it|that|this)`+englishTail+`$`,
	`^`+germanLead+`(?:(?:`+germanForget+`|`+germanDelete+`) `+germanBeside+germanSent+`|`+germanForget+` `+germanBeside+germanUnit+`|(?:`+germanForget+`|`+germanDelete+`) `+germanBeside+germanThat+`)(?: `+germanBesideEnd+`)?(?: `+germanWhy+`)*$`,
	`^`+germanLead+`(?:`+germanSent+`|`+germanThat+`) (?:`+germanBeside+`(?:löschen|vergessen|streichen|entfernen)|kannst du `+germanBeside+`(?:löschen|vergessen|streichen))(?: `+germanBesideEnd+`)?(?: `+germanWhy+`)*$`,
	`^`+germanLead+`(?:(?:das|dat|die nachricht) )?(?:war|is|ist) (?:gar )?(?:nicht|nich|net) für dich(?: (?:bestimmt|gedacht))? (?:`+germanBeside+`(?:löschen|vergessen|streichen)|(?:`+germanForget+`|`+germanDelete+`) `+germanBeside+germanThat+`(?: `+germanBesideEnd+`)?)$`,
	`^`+spanishLead+`(?:(?:`+spanishForget+`|`+spanishDelete+`) `+spanishSent+`|`+spanishForget+` `+spanishUnit+`|(?:`+spanishForget+`|borra|borre|borrá) (?:eso|esto))`+spanishTail+`(?: `+spanishWhy+spanishTail+`)*$`,
	`^`+spanishLead+spanishSent+` (?:por favor |porfa |mejor )*`+spanishThem+spanishTail+`(?: `+spanishWhy+spanishTail+`)*$`,
	`^`+hanLead+hanBack+` ?(?:`+hanDelete+`)`+hanWhy+`$`,
	`^`+hanLead+`(?:你)?(?:把|将)`+hanBack+`(?:`+hanDelete+`)`+hanWhy+`$`,
	`^`+hanLead+`(?:你)?(?:快|赶紧|就)?(?:忘掉|忘了|忘记|删掉|删了|删除|撤回|撤掉|别记|别存|别保存|别留|不要记|不要存|不要保存)`+hanBack+hanWhy+`$`,
	`^`+hanLead+`(?:这条|这句话?)(?:你|就|请|都|给我|帮我)*(?:别记|别存|别保存|别留着|不要保存|不要记|删掉|删了|撤回)(?:了|吧|哈)*`+hanWhy+`$`,
)

const germanBesideEnd = `(?:(?:mal|bitte|doch|lieber|einfach|schnell|sofort|gleich|wieder|jetzt|jetz|direkt|komplett|danke|ja|ok|okay|ne)(?: (?:mal|bitte|doch|schnell|sofort|gleich|wieder|jetzt|danke|ja|ok))*)`

// lastSentence matches what points at the last sentence alone.
var lastSentence = regexp.MustCompile(`\b(?:last|previous) (?:sentence|line|bit|part)\b|\b(?:letzten|vorigen) (?:satz|teil)\b|\b(?:letzte|vorige) zeile\b|(?:^| )(?:ultima|última) (?:frase|linea|línea|oracion|oración|parte)(?:[^\pL]|$)|frase anterior|最后(?:一|那)?句`)
