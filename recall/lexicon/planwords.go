package lexicon

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// The forms of questions, matched against folded text: no capitals, no accents.
var (
	lastTalkAsked = regexp.MustCompile(`\b(?:(?:we|you and i|you tell me|i tell you)\b.*\b(?:talk|talked|talking|speak|spoke|speaking|discuss|discussed|discussing|chat|chatted|chatting|going over|tell)\b.*\b(?:last time|last session|previously)|(?:our|the|that|my) (?:last|previous|prior|earlier|most recent) (?:conversation|chat|talk|session|discussion)(?: (?:with you|together))?\W*$|last time we (?:talked|spoke|chatted|met)|what (?:did|were|have) we (?:just )?(?:talk|talking|talked|discuss|discussing|speak|chat)[a-z]* about ?(?:before)?\W*$)` +
		`|\b(?:letzte[snmr]?|vorige[snmr]?|vergangene[snmr]?) mal\b.*\b(?:gesprochen|geredet|besprochen|diskutiert|unterhalten|erzahlt)|\b(?:zuletzt|beim letzten mal)\b.*\b(?:gesprochen|geredet|besprochen|diskutiert|unterhalten|thema)|\b(?:letzte[snmr]?|vorige[snmr]?|vorherige[snmr]?) (?:gesprach|unterhaltung|chat|sitzung|konversation)|\bworum ging es (?:zuletzt|letztes mal|beim letzten mal)` +
		`|\b(?:hablamos|hablado|charlamos|conversamos|comentamos|discutimos|tratamos)\b.*\b(?:ultima vez|anterior|antes)|\b(?:ultima|anterior) (?:conversacion|charla|sesion|platica)|\b(?:conversacion|charla|sesion) anterior|\bla ultima vez que (?:hablamos|charlamos)|\bde que hablamos\W*$` +
		`|(?:上次|上一次|上回|之前|最近一次).*(?:聊|谈|談|说了|讨论|討論|对话|對話|话题|話題)`)
	selfAsked = regexp.MustCompile(`\b(?:know|remember|learned|learnt|stored|noted|saved|recall)\b[a-z ]* (?:about|of) me\W*$|\bwhat (?:all )?(?:have|did|do) i (?:already )?(?:told|tell|said|say|shared)(?: to)? you(?: about (?:me|myself))?(?: (?:so far|until now|already|up to now|before))*\W*$|\beverything (?:i|you)[a-z' ]+(?:told you|about me)\W*$|\bwho am i\W*$|\b(?:tell me|summari[sz]e|describe)\b[a-z ]* (?:about (?:me|myself)|about yourself knowing me)\W*$` +
		`|\b(?:weißt|weisst|kennst|merkst|gemerkt|gespeichert|wissen)\b.* (?:uber|von) (?:mich|mir)\W*$|\bwas hab(?:e)? ich dir(?: (?:alles|bisher|schon|so|denn|eigentlich|insgesamt|jemals|noch|bis|jetzt|heute|uber mich|von mir))* (?:erzahlt|gesagt|verraten|mitgeteilt)\W*$|\bwer bin ich\W*$` +
		`|\b(?:sabes|recuerdas|conoces|guardado|tienes|aprendido)\b.* (?:de|sobre|acerca de) mi\W*$|\bque te he (?:contado|dicho)(?: (?:ya|todo|hasta ahora|hasta hoy|antes|(?:de|sobre|acerca de) mi))*\W*$|\bquien soy(?: yo)?\W*$`)
	selfHan = regexp.MustCompile(`你.*(?:知道|了解|记得|記得|记住|記住).*我|你.*对我.*(?:知道|了解)|关于我|關於我|我.*(?:告诉|告訴|跟你说|和你说|跟你讲).*(?:什么|什麼|哪些|多少)|我是谁|我是誰`)
	// selfTold matches what, with a time, asks for what was said then.
	selfTold   = regexp.MustCompile(`告诉|告訴|跟你说|和你说|跟你讲|跟你說|跟你講`)
	agentAsked = regexp.MustCompile(`\b(?:agents?|subagents?|coder|copilot|bots?|agenten|agentes?)\b|智能体|智能體|机器人|機器人`)
	whenAsked  = regexp.MustCompile(`^(?:(?:and|so|hey|ok) )?(?:on |at )?(?:which|what) (?:day|date|time)\b|\bon (?:which|what) (?:day|date)\b|\bwhen(?:'s| is| are| am| do| does| did| was| were| will| won't| would| can| should| must| have| has)\b` +
		`|\bwann\b|\b(?:welchem|welcher|welchen) tag\b|\bum wie ?viel uhr\b|\bcuando\b|\bque (?:dia|fecha)\b|\ba que hora\b|什么时候|什麼時候|何时|何時|哪天|哪一天|几号|幾號|几月|几点`)
	definite   = regexp.MustCompile(`\b(?:the|my|our|der|die|das|den|mein|meine|meinen|unser|unsere|el|la|los|las|mi|mis|nuestro|nuestra)\b`)
	ofOwner    = regexp.MustCompile(`\b(?:the|der|die|das|den|el|la|los|las) \pL+ (?:of|von|vom|de|del) `)
	ownerHan   = regexp.MustCompile(`\p{Han}的\p{Han}`)
	aheadAsked = regexp.MustCompile(`\b(?:am i|are we|is there|will|shall|(?:should|do) (?:i|we) (?:bring|do|expect|fly|get|go|have|leave|meet|need|perform|play|see|start|travel|visit|work)|have i got|what's on|what is on|happening|going to|free|busy|planned|scheduled|coming up|up next|coming|joining|visiting|when do|when are|when is|when will|when won't|steht|stehen|ansteht|anstehen|vor|frei|zeit|termin|termine|geplant|\pL*[^\Wbt]e ich|soll|sollte|muss|mussen|werde|werden|kommt|kommen|bekommen|hago|hacemos|debo|deberia|tengo|tenemos|hay|libre|ocupad[oa]|voy|vamos|toca|planes|agenda|cita|citas)\b`)
	// doubtful matches questions in the present tense that may be about what was: "What do I have from Friday?"
	doubtful  = regexp.MustCompile(`\b(?:from|vom) \S+\W*$|\b(?:remember|know|owe|(?:erinnere|schulde|denke|finde) ich)\b`)
	pastAsked = regexp.MustCompile(`\b(?:did|was|were|happened|went|had|gab|war|waren|hatte|hatten|passiert|gemacht|gewesen|hice|hicimos|paso|fue|fui|vi|comi|estuve|hubo)\b`)
	// pastVerb and germanPastVerb match more forms of the past, which may be beside what is asked: "the
	// party Tom told me about". Folded, the Spanish "gasté" and the German "Gäste" are one word.
	pastVerb = regexp.MustCompile(`\b(?:came|said|told|saw|met|ate|gave|took|bought|spoke|wrote|found|slept|been|seen|eaten` +
		`|hizo|comimos|fuimos|vimos|vino|estuvimos|dije|dijo|dijimos|hable|compre|tuve|tuvimos|quede|cene|cocine|lei|visite|conoci|encontre|gaste|sali|trabaje|(?:he|hemos|ha|han) (?:\pL+[ai]do|hecho|visto|dicho))\b`)
	germanPastVerb = regexp.MustCompile(`\b(?:ging|gingen|kam|kamen|traf|trafen|sah|sahen|ass|assen|sprach|sprachen|machte|machten|sagte|sagten|wurde)\b`)
	// "Who visited on Friday?" is past, "Who is invited on Friday?" is not.
	pastParticiple = regexp.MustCompile(`\b\pL{3,}ed\b`)
	beAsked        = regexp.MustCompile(`\b(?:am|is|are|be|being|need)\b|'s\b`)
	// "Was habe ich am Freitag vor?" looks ahead, "Was habe ich am Freitag gemacht?" does not.
	germanHave       = regexp.MustCompile(`\b(?:hab|habe|haben|hast|hat|habt)\b`)
	germanParticiple = regexp.MustCompile(`\b(?:\pL*ge\pL{2,}(?:t|en)|getan|\pL+iert|(?:be|ver|er|ent|zer|unter|uber|wieder)\pL{3,}t|\pL+(?:nommen|schrieben|fohlen)|bekommen|vergessen|verloren|erhalten|besprochen|versprochen|begonnen|verstanden|entschieden)\b`)
	germanWhat       = regexp.MustCompile(`\bwas ((?:steht|stehen|hab|habe|haben|hast|ist|sind|mach|mache|machen|muss|mussen|kommt|liegt|soll|sollte|will|plane|planen)\b|\pL*[^\Wbt]e ich\b|\pL*[^\Wt]en wir\b)`)
	pastHan          = regexp.MustCompile(`了(?:什么|什麼|谁|誰|哪|几|幾|多少|些)|(?:发生|發生|说|說|去|做|买|買|吃|见|見|聊|看|玩|干)(?:了|过|過)|(?:^|[^要会會想])(?:去|看|买|買|见|見|说|說|吃)的`)
	freeAsked        = regexp.MustCompile(`\b(?:free|busy|planned|scheduled|available|frei|zeit|was vor|etwas vor|termine?|geplant|libre|ocupad[oa]|planes)\b|有空|安排|有什么事|计划|要|会|打算|日程`)
	clockAsked       = regexp.MustCompile(`\bwhat time is it\b|\bwie ?viel uhr ist\b|\bwie spat\b|\bque hora es\b|现在.*几点|几点了`)
	// anotherTime matches a question without its time that goes on from one about another time.
	anotherTime = regexp.MustCompile(`^\W*(?:(?:and|or|but|so|und|oder|aber|y|o|pero)\b(?:\W+(?:then|dann|entonces))?|(?:(?:and|but|und|aber|y|pero)\W+)?(?:(?:what|how) about|(?:was|wie) (?:ist|ware)(?: es)? mit|wie (?:sieht es|sieht['’]s|ist es|ist['’]s)|que (?:tal|hay|pasa)(?: de| con| para)?))\b` +
		`\W*(?:(?:on|in|at|for|the|am|im|an|fur|mit|el|la|los|para|en|por)\b\W*)*(?:aus|que)?\W*$` +
		`|^[\s\pP]*(?:那么?[\s\pP]*呢?|呢)[\s\pP]*$`)
	// "This morning's sugar, what did I say": the question comes last, without its mark.
	askedLast = regexp.MustCompile(`[,;.–-]\s*(?:(?:what|when|where|which|who|how(?: much| many| long)?)\s+(?:did|have|had|was|were|do|am)\s+(?:i|we)` +
		`|(?:was|wann|wo|wer|wie(?: ?viele?| lange?)?)\s+(?:hab|habe|haben|hatte|hatten|war|waren)\s+(?:ich|wir)` +
		`|(?:que|cuando|donde|cual|cuanto)\s+(?:te\s+)?(?:dije|conte|puse|tenia|tuve|hice|he|habia))\b[^,;.]*$`)
	askedHan     = regexp.MustCompile(`什么|什麼|谁|誰|哪|几|幾|吗|嗎|怎么|怎麼|多少|总结|總結|回顾|回顧|提醒我|告诉我|說說|说说|讲讲`)
	taskHan      = regexp.MustCompile(`^(?:请|請|帮我|幫我|麻烦你?|给我)*(?:写|寫|画|畫|翻译|翻譯|设|設|设置|定个|定一个|订|播放|放一首|算|计算|生成|编|推荐|解释|解釋)`)
	worldHan     = []string{"天气", "天氣", "气温", "新闻", "新聞", "股价", "汇率"}
	happeningHan = []string{"发生", "發生", "安排", "有什么事", "有事", "日程", "计划", "有空"}
	emptyHan     = strings.NewReplacer(pairs("总结 總結 回顾 回顧 提醒 告诉 告訴 一下 发生 發生 安排 事情 什么事 有空 日程 计划 忙什么 知道 了解 记得 記得 真的 觉得 覺得 这么 那么 城市 具体 到底 时间 地点 时候 哪里 哪儿 哪个 哪天 哪一天 多少钱 多少 为什么 怎么样 几点 几号 需要 应该 负责 对话 聊天 话题 上次 关于 干嘛 干啥 经历 两天 特别 重要 什么 有意思 大家 那天 有趣 颜色 名字", " ")...)
)

// pairs lists words, each followed by its replacement.
func pairs(words, with string) (all []string) {
	for w := range strings.FieldsSeq(words) {
		all = append(all, w, with)
	}
	return all
}

// folds returns words, folded, as a set.
func folds(words string) map[string]bool { return text.WordSet(text.Fold(words)) }

// Words by their function in a question, folded.
var (
	firstPersonWord = folds(`i im ive id ill me my mine myself we us our ours ich mich mir mein meine meinen meinem meiner meins wir uns unser unsere
		unseren unserem unserer unseres yo mi mis conmigo nos nosotros nosotras nuestro nuestra nuestros nuestras
		hice hicimos hago hacemos comí comimos comi fui fuimos vi vimos tengo tenemos estuve estuvimos estoy estamos dije dijimos
		hablé hablamos compré compramos he hemos tuve tuvimos quedé quedamos debo debemos voy vamos puedo podemos soy recuérdame
		cené cenamos cociné cocinamos leí leímos visité visitamos conocí conocimos encontré encontramos gasté pasé salí salimos trabajé`)
	happeningWord = folds(`happened happen happening went people everyone everybody on going planned scheduled schedule agenda calendar appointments
		passiert passierte geschah geschehen los ansteht an programm geplant termine ansteh
		paso pasó ocurrió sucedió hay hubo agenda planes`)
	adviceWord = folds(`should could would can might may shall soll sollte sollen kann könnte könnten darf dürfte debería debo puedo podría`)
	worldWord  = folds(`weather forecast rain temperature news stock stocks wetter wetterbericht regnet regnen temperatur nachrichten aktie aktien lloverá lluvia temperatura noticias bolsa`)
	taskWord   = folds(`write compose draft draw paint make create generate translate set play sing book order buy call send calculate convert explain
		define give suggest recommend imagine pretend code fix schreib schreibe verfass verfasse mal male zeichne erstell erstelle mach übersetz übersetze stell stelle
		spiel spiele berechne rechne erklär erkläre gib nenn nenne schlag empfiehl escribe redacta dibuja crea haz genera traduce pon ponme calcula convierte explica
		explícame define dame sugiere recomienda inventa`)
	askingOfYou  = map[string]bool{"can you": true, "could you": true, "would you": true, "will you": true, "kannst du": true, "konntest du": true, "wurdest du": true, "puedes": true, "podrias": true}
	courtesyWord = folds(`please bitte hey hi hello hallo hola oye ok okay so also and und y now tell?`)
	recallWord   = folds(`tell remind remember recap summarise summarize list show recall erinner erinnere erzähl erzähle sag zeig zeige fass fasse
		recuérdame recuerda cuéntame dime resume resúmeme muéstrame lista`)
	openingWord = folds(`what whats who whom where when which how did do does was were am is are have has had anything
		was wer wen wem wo wohin wann welche welcher welches wie hab habe haben hatte war waren bin ist steht
		qué quién quiénes dónde cuándo cómo cuál tengo hay estoy he`)
	joinsOn    = folds(`and but or so then also und aber oder dann also y e pero o entonces`)
	pointsBack = folds(`it its he him his she her hers they them their theirs there that this those these then one
		er ihn ihm sie ihr ihnen ihre ihren ihrem sein seine seinen seinem dort da dahin darin davon dafür damit dazu dies diese dieser denn wieso
		ella ello ellos ellas lo le les su sus ese esa eso esos esas este esto allí allá ahí`)  // "esta" is mostly "está"
	articleWord = folds(`der die das den dem el la los las`) // "él" too
	existWord   = folds(`is are was were will be`)
	// emptyWord holds words besides stop words that say nothing about the topic.
	emptyWord = folds(`wrong notable special people interesting important exciting new everyone everybody anywhere somewhere whereabouts due ones hour
		next komm komme unters besonderes besondere wichtiges neues interessantes alle jemand beim letzten werd werde hin irgendwo especial importante nuevo todos alguien happened happen happening going planned plan plans planning scheduled schedule agenda calendar appointment appointments event events busy free
		thing things stuff tell remind remember recap summarise summarize list show know said say told spend spent day days date time times today much many long
		else exactly really think believe mean sure right actually anyway kind sort way place city country name cost costs price went did doing done
		talk talked talking speak spoke spoken discuss discussed chat conversation ok okay hey please again still already also far up whats hows wheres whens
		passiert passierte geschah geschehen los gemacht machte machen mache getan tun gewesen gab gibt gab's habe hab haben hatte hatten hat steht stand stehen ansteht programm
		frei zeit alles so getrieben erlebt unternommen erinner erinnere erzähl erzähle erzählt sag sage gesagt zeig zeige fass fasse zusammen termin termine pläne geplant etwas was irgendwas
		bei noch dann denn wann wo wie viel viele wer wen wem welche welcher welches welchem welchen tag tage tagen datum uhr genau eigentlich wirklich meinst meinen glaubst denkst
		wieso weshalb warum kostet kosten preis heißt stadt ort wollte wollten will willst soll sollte muss müssen müsste darf kann könnte würde davon dafür damit dazu daran darin dort da dahin
		gesprochen geredet besprochen diskutiert unterhalten gespräch worüber worum wovon womit mal heute jetzt übrigens ja nein doch eben halt schon auch sehr ganz
		waren war wars ist sind bin seid wird werden wurden ihnen ihm ihn unser unsere meine
		paso ocurrió sucedió hice hizo hicimos hago hacemos hacer hay había tengo tenemos tiene algo libre ocupado ocupada planes planeado cita citas recuérdame recuerda
		dime cuéntame muéstrame estuve estuvimos hecho he hemos haciendo hubo quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas qué día días fecha hora vez
		crees piensas verdad seguro exactamente cuesta cuestan precio nombre ciudad lugar iba iban ir voy vamos va van debo debería puedo podría quiero quería sabes
		hablamos hablado hablar conversación charla última último resume resumen nuestra nuestro también entonces pues bueno ahora era eran fue fueron está están
		die weiß weisst kennst estoy estamos vive viven
		tenía di dio doy dan sea del`)
)

// IsGerman reports a text in German, where every noun has a capital.
func IsGerman(s string) bool {
	return slices.ContainsFunc(plainWords(text.Fold(s)), func(w string) bool { return germanWord[w] })
}

var germanWord = folds("ich wir mir mich uns ist sind war hab habe haben der das und wann wo wer wie welche welcher welchem muss bekommen kommt")

// AsksPast reports a question in the past tense.
func AsksPast(question string) bool { return pastAsked.MatchString(text.Fold(question)) }

// IsEmpty reports the term of a word that says nothing about what a question is
// about.
func IsEmpty(term string) bool { return emptyTerm[term] }

var emptyTerm = func() map[string]bool {
	set := make(map[string]bool)
	for w := range emptyWord {
		for _, t := range text.Terms(w) {
			set[t] = true
		}
	}
	return set
}()
