package series

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// function are words that do not tell quantities from each other: times, remarks, light verbs and
// the words of a log, folded.
var function = text.WordSet(`today tonight morning evening night noon afternoon yesterday monday tuesday wednesday thursday friday saturday sunday week weekend log logged logging logbook
	note entry number reading record forgot managed did made got hit had reached came went says said shows showed reads down up back now already finally yay wow ugh phew hey ok okay wait update
	new first last again exactly fasting almost nearly around roughly total alone straight flat kinda`,
	`heute abend abends morgens mittags nuchtern morgen früh mittag nachmittag gestern montag dienstag mittwoch donnerstag freitag samstag sonntag woche wochenende eintrag notiz notier notiere logbuch protokoll vergessen
	geschafft gemacht zeigt sagt steht liegt bin ist war sind waren runter rauf rauf jetzt endlich schon wieder uff juhu insgesamt neu erste letzte genau fast knapp etwa ungefahr fruh nochmal korrektur`,
	`hoy noche manana tarde ayer lunes martes miercoles jueves viernes sabado domingo semana apunta anota registro diario lectura hice he hecho marca dice pone sale llego llegue estoy
	ahora ya por fin uf otra vez nuevo nueva primera ultima casi exactamente total correccion`)

// hanFunction matches such words of Chinese.
var hanFunction = regexp.MustCompile(`剛剛|刚刚|剛才|刚才|今天|今早|今晚|昨天|早上|早晨|中午|下午|晚上|現在|现在|這次|这次|本週|本周|禮拜[一二三四五六日天]?|星期[一二三四五六日天]?|週[一二三四五六日]|周[一二三四五六日]|` +
	`記錄|记录|記一下|记一下|一下|又|再|還|还|已經|已经|終於|终于|剛|刚|只|才|就|都|也|了|啦|喔|耶|呀|啊|吧|的|是|有|我|量|測|测|量出來|大概|差不多|總共|总共|到|在|跟|說|说|改`)

// Patterns of the clause around a number. notMeasured matches, before it, what makes it no reading: aims,
// limits, differences, names of things and denials, notRightBefore days and purposes;
// notMeasuredAfter matches such words after it. others matches who is not the speaker.
var (
	notMeasured = words(`want|goal|target|aim|aiming|hope|should|would|could|will|plan|budget|limit|max|min|maximum|minimum|under|over|below|above|than|least|most|lost|gained|dropped|plus|minus|not|never|if|code|pin|password|wifi|no|nr|room|page|plot|section|chapter|level|version|flight|bus|line|train|size|costs?|paid|price|convert|remind|set|ideal|dream|wedding|limit|normal|max|maximum|next stop|pr|issue|ticket|order|invoice|ref|case|subnet|tyres?|tires?|versions?|released?|upgraded?(?: to)?|deploy\pL*|build|python|node|java|golang|ruby|rust|php|postgres\pL*|go|exam|tests|score\pL*`,
		`ziel|will|möchte|soll|sollte|würde|höchstens|mindestens|unter|über|als|abgenommen|zugenommen|nicht|kein\pL*|wenn|nie|geheimzahl|passwort|zimmer|seite|kapitel|linie|größe|kostet\pL*|gezahlt|preis|wunsch\pL*|traum\pL*|grenze|grenzwert|normal|ideal\pL*|maximal|bestellung|rechnung|auftrag|version|reifen|klausur`,
		`quiero|meta|objetivo|debería|menos|más|bajo|sobre|perdí|bajé|subí|nunca|clave|contraseña|habitación|página|capítulo|línea|talla|cuesta|pagué|precio|si|ideal|límite|normal|máximo|pedido|factura|versión|examen|llegar a`).
		or(`正常|理想|上限|標準|标准|訂單|订单|版本|不是|不到|不要|沒|没|目標|目标|想|要|應該|应该|超過|超过|少於|少于|瘦了|胖了|減了|减了|密碼|密码|號|号|房|每|一個月|价|價|如果`)
	notRightBefore   = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:for|by|until|till|every|each|per|since|from|jede\pL*|am|vom|den|zum|seit|ab|um|für|bis|cada|el|para|hasta|desde) ?$`)
	notMeasuredAfter = regexp.MustCompile(`(?i)^[^.!?,]{0,24}(?:^|[^\pL])(?:less|more|lighter|heavier|left|to go|ago|per|is (?:the|an?|out|where|what|normal|ideal|perfect|healthy|average|too)|would|was the|works|breaks|or bust|here i come|back then|last (?:year|summer|winter|spring|autumn)|next (?:week|month|year)|by (?:\p{Lu}\pL+|summer|winter|spring|autumn|then)|before the baby|at (?:our|my|the) wedding|wären?|ist (?:der|die|das|normal|ideal|zu)|heißt es|bis|damals|letztes jahr|es (?:el|la|lo|normal|ideal)|sería|el año pasado|opens?|leaves|rolled back|anrufen|deployed|an? (?:hour|day|night|week|month|year|piece|head|afternoon)|each|every|weniger|mehr|leichter|schwerer|übrig|pro|jeden|(?:am|im|die|das) (?:tag|monat|jahr|stunde|woche|stück)|menos|más|por|(?:al|la|el) (?:hora|día|mes|año)|cada)(?:[^\pL]|$)|^[^，。！ ]{0,6}(?:以下|以內|以内|以上|前|後|后|多|少|起)`)

	others = words(`he|she|they|his|her|their|we|our|your|you`, `er|sie|ihr\pL*|sein\pL*|du|dein\pL*`, `él|ella|ellos|su|sus|tu`).or(`[他她牠它你妳]|人家`)
	copula = words(`is|are|was|were|weighs?|measures?|s`, `ist|sind|war|waren|wiegt|misst`, `es|son|era|pesa|mide`).or(`是|[重長长高寬宽]$`)
	mine   = words(`i|my|mine|today['’]s`, `ich|mein\pL*`, `yo|mi|mis|me`).or(`我`)
	size   = regexp.MustCompile(`(?i)^[^.!?,]{0,4}(?:wide|long|high|tall|deep|thick|old|square|breit|lang|hoch|tief|dick|groß|alt|de (?:ancho|largo|alto|fondo))(?:[^\pL]|$)`)

	// correction matches what says that an earlier number was wrong.
	correction = words(`wrong|mis(?:read|typed|heard|copied)|typo|mistake|correction|correct that|fix (?:that|it|this)|i meant|meant to (?:say|type|write)|flipped|mixed up|should have been`,
		`falsch|vertippt|verlesen|verschrieben|vertan|korrektur|korrigier\pL*|zahlendreher|ich meinte`,
		`me equivoqué|equivocad[oa]|corrección|corrige\pL*|quise decir|lo leí mal`).or(`打錯|打错|看錯|看错|記錯|记错|寫錯|写错|說錯|说错|更正|搞錯|搞错`)
)

// pattern matches one of several words.
type pattern struct{ expr string }

// words returns a pattern of whole words, by language.
func words(languages ...string) pattern {
	return pattern{`(?:^|[^\pL])(?:` + strings.Join(languages, "|") + `)(?:[^\pL]|$)`}
}

// or adds expressions that match within a word, as in Chinese.
func (p pattern) or(expr string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + p.expr + `|` + expr)
}

// noUnit are words after a number of something else than a quantity, folded and stemmed;
// weakUnits those of amounts and times, which many quantities share.
var (
	noUnit = stems(`am pm uhr oclock st nd rd th mg mcg tablet tablets pill pills years year yrs jahre jahr anos ano januar februar marz april mai juni juli august september oktober november dezember
		january february march may june july october december enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
		units unit iu ie einheiten unidades drops drop tropfen gotas puffs puff hub hübe fm mhz khz please bitte people personen personas guests options times mal veces tips ideas things words worter palabras lines zeilen percent
		wide long high tall deep thick breit lang hoch tief dick ancho largo alto fondo`)
	weakUnits = stems(`dollars dollar bucks euro euros eur usd cad pounds quid franken chf pesos peso yuan
		minutes minute mins min seconds second sec hours hour hrs hr h days day weeks week months month minuten stunden stunde std tage tag wochen monate minutos horas hora dias semanas meses % °`)
)

func stems(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[text.Fold(word)] = true
		for _, term := range text.Terms(word) {
			set[term] = true
		}
	}
	return set
}

// Units: bodyUnits of what is often given without its unit, distances of ways, and labelledByNext those after
// which a noun says of what: "62.5 kg squat".
var (
	bodyUnits      = stems(`kg kilo kilos kilogram kilograms kilogramm lb lbs 公斤 斤 千克 mmol/l mg/dl °c c grad degrees grados 度 km mi miles kilometer 公里`)
	distances      = stems(`km mi mile miles kilometer kilometers kilómetros 公里 m metres meters laps bahnen`)
	labelledByNext = stems(`kg kilo kilos kilogram kilograms kilogramm lb lbs ml degrees degree grad`)
)

// people are the words for relatives, friends and animals.
var people = func() map[string]bool {
	set := make(map[string]bool)
	for _, relation := range said.Relations() {
		for _, word := range said.CalledBy(relation) {
			set[text.Fold(word)] = true
		}
	}
	return set
}()

// namesPerson reports whether a text names somebody, or what may be a name: a word with a capital that
// means nothing.
func namesPerson(s string) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		folded := text.Fold(word)
		switch first := []rune(word)[0]; {
		case people[folded]:
			return true
		case unicode.Is(unicode.Han, first):
			if slices.ContainsFunc(kin, func(k string) bool { return strings.Contains(word, k) }) {
				return true
			}
		case unicode.IsUpper(first) && !strings.ContainsFunc(word[1:], unicode.IsUpper) && !function[folded] && !text.IsStopWord(folded) && (names.IsGiven(folded) || topics.Of(word).Len() == 0):
			return true
		}
	}
	return false
}

// kin are Chinese words for relatives, which stand in longer ones.
var kin = strings.Fields("媽 妈 爸 婆 公公 爺 爷 奶 嬤 嬷 哥 姊 姐 弟 妹 兒子 儿子 女兒 女儿 老公 老婆 先生 太太 孩子 小孩 寶寶 宝宝 貓 猫 狗")
