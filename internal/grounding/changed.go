package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// Words of the forms of changes. They are matched against folded text, since a message typed on
// a phone has no capitals, no accents and hardly any punctuation.
const (
	aWord     = `[\pL\d][\pL\d'’-]*`
	changedEN = `(?:(?:the|my|our|that|this|them|these|those|his|her|their|all|old) )*(?P<thing>` + aWord + `(?: ` + aWord + `)?)`
	changedDE = `(?:(?:de[rnms]|die|das|dat|mein\w*|unser\w*|alte\w*|ganze\w*) )*(?P<thing>` + aWord + `)`
	changedES = `(?:(?:el|la|los|las|lo de|mis?|sus?|es[eo]s?|esas?) )*(?:l[ao]s? )?(?P<thing>` + aWord + `(?: (?:de )?` + aWord + `)?)`
	changedZH = `(?:我们?的?|那个|这个|那|这)?(?P<thing>[\p{Han}a-z\d.]{2,8}?)(?:也|都|又|就|已经|终于|索性|彻底|全部|全|现在|可以|的卡|卡|会员|先)*`

	beginsEN  = `(?:^|[,.;!] ?|\b(?:and|n|so|but|well|yesterday|today) )`
	copulaEN  = `(?:'?s| is| are| r| was| were| has| have| got| been| now| all)`
	medialEN  = `(?:(?:me|him|us|over|back|from|off) )*`
	plannedEN = `(?P<thing>(?:` + aWord + ` )?(?:trip|holiday|visit|flight|wedding|party|meeting|date|deal|class|lesson|engagement|move|reunion|gig|tour|course))`
	endedDE   = `(?:abgesetzt|abgesagt|gekundigt|verkauft|verschrottet|weg|vorbei|schluss|gestorben|eingeschlafen|eingeschlafert|tot|ausgelaufen|abbestellt|storniert|aufgegeben|geplatzt|gestrichen|beendet|eingestellt|geklaut|gewechselt)`
	beginsZH  = `(?:^|[^\p{Han}])`
)

// changedForms match what says that a named thing ended or is otherwise now.
var changedForms = []*prefilter.Regexp{
	// English
	prefilter.New(`\b(?:jacked in|packed in|chucked in|binned off|binned|ditched|jacked|g[ai]ven? up|giving up|quit|quitting|finished w(?:ith)?|split (?:up )?w(?:ith)?|broke up w(?:ith)?|broken up with|done with|stopped (?:taking|going to|doing|having|using|seeing)|c[ao]me off|been off|got rid of|no more) `+changedEN+`\b`, beginsEN+`(?:(?:i|we|i'?ve|we'?ve|have|had to|just|finally|now|also) )*(?:sold|scrapped|cancell?ed|called off) `+changedEN+`\b`),
	prefilter.New(`\b(?:(?:do|does|did) ?n[o']?t|dont|doesnt|didnt|never|not) (?:`+aWord+` ){0,2}?`+changedEN+` (?:any ?more|no more|now)\b`, `\bno longer (?:need|use|take|own|have|go to|do|see|like|eat|drink|play) `+changedEN+`\b`),
	prefilter.New(beginsEN+changedEN+copulaEN+`* (?:died|passed away|closed down|shut down)\b`, beginsEN+changedEN+copulaEN+`+ (?:dead|cancell?ed|called off|sold|scrapped|stolen|nicked|gone for good)\b`, beginsEN+changedEN+copulaEN+`+ no more\b`),
	prefilter.New(beginsEN + `(?:(?:the|my|our|that) )*` + plannedEN + copulaEN + `+ (?:off|over|finished)\b`),
	prefilter.New(`\b(?:swapped|switched|changed|moved|replaced|pushed|upped|raised|lowered|halved|doubled|put) ` + medialEN + changedEN + ` (?:` + aWord + ` ){0,2}?(?:to|onto|for|till?|until|up|down)\b`),
	prefilter.New(beginsEN + changedEN + copulaEN + `* (?:moved to|changed to|switched to|(?:gone|went) (?:up|down) (?:to|from)|put up|pushed back|brought forward)\b`),
	// German
	prefilter.New(`\b` + changedDE + ` (?:is|ist|sind|wurden?|wird|hab\w*|hat) (?:` + aWord + ` ){0,2}?` + endedDE + `\b`),
	prefilter.New(`\bmit `+changedDE+` (?:`+aWord+` ){0,2}?(?:schluss|aufgehort|vorbei)\b`, `\b(?:schluss|aufgehort) mit `+changedDE),
	prefilter.New(`\b(?:hab|habe|haben|hat|ham)\b(?: ` + aWord + `){0,3}? ` + changedDE + ` (?:` + aWord + ` ){0,2}?(?:gekundigt|abgesetzt|abgemeldet|verkauft|aufgegeben|abbestellt|storniert|abgegeben|geschmissen|gewechselt|umgestellt|halbiert|verdoppelt|erhoht|gesenkt|verlegt|verschoben|getauscht)\b`),
	prefilter.New(`\bkeine?[nrms]? `+changedDE+` mehr\b`, `\b(?:vom|von|beim|bei) `+changedDE+` weg\b`),
	prefilter.New(`\b`+changedDE+` (?:jetzt? )?auf \d`, `\b`+changedDE+` (?:is|ist|sind|geht|kostet) jetzt?\b`),
	// Spanish
	prefilter.New(`\b(?:deje|dejo|dejamos|dejaron|vendi|vendio|vendimos|cancele|cancelo|cancelamos|cancelaron|se acabo|se acabaron|se (?:me |nos |le )?murio|fallecio|(?:me |se |nos )?(?:sali|salio|salimos) de|termine|termino|termine con|termino con|renuncio a|renuncie a|(?:le|me|nos) (?:quitaron|quito)) ` + changedES + `\b`),
	prefilter.New(`\bya no (?:` + aWord + ` ){1,2}?` + changedES + `\b`),
	prefilter.New(`\b` + changedES + ` (?:ya )?(?:se (?:me |nos |le )?murio|fallecio|se acabo|se acabaron|se cancelo|(?:esta |fue |quedo )?cancelad[oa]s?|ya no va|se vendio)\b`),
	prefilter.New(`\b(?:subi|subio|subieron|subimos|baje|bajo|bajaron|cambie|cambio|cambiaron|cambiamos|pase|pasaron|movieron|aplazaron) ` + changedES + ` (?:a|pa|para|por|de|al)\b`),
	prefilter.New(`\b` + changedES + ` ahora (?:es|son|cuesta|cuestan|queda|sale|va|paga|cobra|toma|la|lo)\b`),
	// Chinese
	prefilter.New(beginsZH + changedZH + `(?:停了|停掉|不续|戒了|戒掉|退了|退订|退掉|取消|没了|死了|走了|去世|卖了|卖掉|到期了|断了|断签|黄了|不[去学做吃用看练喝]了|辞了|结束了|戴完|啃完|被偷|解散|倒闭|关了|停办)`),
	prefilter.New(`把` + changedZH + `(?:[戒停退卖辞]|取消|[换改挪调搬][成到为去])`),
	prefilter.New(`(?:戒|停|退|卖|辞|取消|不用|不吃)掉?了(?P<thing>[\p{Han}a-z\d]{2,6}?)(?:$|[^\p{Han}])`, `没有(?P<thing>[\p{Han}a-z\d]{2,6}?)了`),
	prefilter.New(beginsZH + changedZH + `(?:[换改挪调加减涨降升延][成到为去]|换了|涨价|降价|延了|推迟|提前到|搬去|搬到)`),
	prefilter.New(`新(?P<thing>[\p{Han}a-z]{2,3}?)(?:叫|是|大家)`),
}

// Changed returns the things of which a text says by its form that they ended or are otherwise
// now, each as the terms that name it: "jacked in slimming world", "lantus auf 18 Einheiten",
// "se murio doña Ligia", "普拉提换到周六". What is asked or only planned is none.
func Changed(s string) (things [][]string) {
	for _, sentence := range statements(s) {
		folded := strings.ReplaceAll(text.Fold(sentence), "`", "")
		for _, form := range changedForms {
			if !form.MayMatch(folded) {
				continue
			}
			whole := form.Whole()
			for _, m := range whole.FindAllStringSubmatchIndex(folded, 4) {
				for g, name := range whole.SubexpNames() {
					if name == "thing" && m[2*g] >= 0 {
						if thing := thingOf(folded[m[2*g]:m[2*g+1]]); thing != nil {
							things = append(things, thing)
						}
					}
				}
			}
		}
	}
	return things
}

// thingOf returns the terms that name a thing, nil if none do.
func thingOf(s string) (terms []string) {
	if generic[s] {
		return nil
	}
	if hasHan(s) {
		if strings.ContainsAny(s, commonHan) || timed(s) || amountZH.MatchString(s) {
			return nil
		}
		return slices.DeleteFunc(text.Terms(s), func(term string) bool { return strings.Trim(term, "0123456789") == "" })
	}
	for w := range strings.FieldsSeq(s) {
		w = strings.TrimSuffix(strings.Trim(strings.ReplaceAll(w, "’", "'"), "'-"), "'s")
		if text.IsStopWord(w) || noThings[w] || counts[w] || timed(w) || !strings.ContainsFunc(w, unicode.IsLetter) {
			if len(terms) > 0 {
				break
			}
			continue
		}
		terms = append(terms, text.Terms(w)...)
	}
	return terms
}

var amountZH = regexp.MustCompile(`^[\d一二两三四五六七八九十半几]+[分秒小天周个次块遍]`)

const commonHan = "我你他她它这那是在有不没很给让说要别了帮什么"

// noThings are words that name no thing, beside stop words.
var noThings = text.WordSet(`im ive u ur n w r need last one two now then thing things stuff everything nothing something today yesterday tomorrow cos wk wks week weeks month months year years yr yrs time times day days hour hours
	kommt geht macht alles nix ganz jetz jetzt mal tag tage tagen woche wochen monat monate monaten jahr jahre jahren stunde stunden uhr zeit wert
	gibt alten alte neue neuen
	asi que todo nada algo muy mas tan tanto dia dias semana semanas mes meses ano anos hora horas vez veces poder puede quiere aguanta`)

// nowWords say that something is otherwise now.
var nowWords = prefilter.New(`\b(?:from now on|as of (?:today|now)|now|these days|instead)\b ?`, `\b(?:ab jetzt|ab sofort|jetzt?|inzwischen|neuerdings|nur noch|stattdessen)\b ?`, `\b(?:a partir de ahora|desde ahora|ahora|ya)\b ?`, `(?:从现在起|现在|以后|今后)`)

var insteadWords = prefilter.New(`\binstead\b`, `\bstattdessen\b`, `\ben (?:su|vez|lugar)\b`, `不再`)

// clauseWord matches a word of a clause, in Chinese a character.
var clauseWord = regexp.MustCompile(`\p{Han}|[\pL\d](?:[\pL\d'’_+#/-]|\.[\pL\d])*`)

// A Frame is a clause in words, without those that say that it is so now.
type Frame struct {
	words   []string
	now     bool // it had such words
	instead bool // they say that something else ended
}

// FramesOf returns the clauses of a text that state something.
func FramesOf(s string) (all []Frame) {
	for _, sentence := range statements(s) {
		for _, clause := range frameBreak.Split(text.Fold(sentence), -1) {
			rest := nowWords.ReplaceAllString(clause, "")
			if words := clauseWord.FindAllString(rest, mostFrame+1); len(words) >= 3 && len(words) <= mostFrame {
				all = append(all, Frame{words, rest != clause, insteadWords.MatchString(clause)})
			}
		}
	}
	return all
}

var frameBreak = regexp.MustCompile(`[,;()–—，。；！]+ ?|[:.!…]+(?: |$)|\b(?:because|weil|denn|porque|but|aber|pero)\b`)

// mostFrame is how many words a frame has at most, and mostValue how many of them the value that
// changes. A head of surelyHead words needs a single one with content.
const (
	mostFrame  = 16
	mostValue  = 3
	surelyHead = 4
)

// Now reports whether a clause says that something is so now. Only such a one replaces another.
func (f *Frame) Now() bool { return f.now }

// Replaces reports whether a clause says that what an earlier one says is otherwise now: it has
// such a word, and both are the same but for a value at the end, "payments-api is on Go 1.25 now", or
// for who alone does something, "Li owns refunds now", "Piotr signs instead". "Shelf 4 is blue now" is about another shelf.
func (f *Frame) Replaces(old *Frame) bool {
	if !f.now {
		return false
	}
	a, b := old.words, f.words
	least := min(len(a), len(b))
	head, tail := 0, 0
	for head < least && a[head] == b[head] {
		head++
	}
	for tail < least-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	of, is := len(a)-head-tail, len(b)-head-tail
	switch {
	case of == 0 || is == 0 || of > mostValue || is > mostValue || 2*(head+tail) < len(a):
		return false
	case head == 0 && tail > 0 && !f.instead && !ofOne.MatchString(" "+strings.Join(b, " ")+" ") || head > 0 && tail > 0:
		return false
	}
	content, needed := 0, 2
	if head >= surelyHead {
		needed = 1
	}
	if hasHan(strings.Join(b, "")) {
		needed = 4 // characters
	}
	for _, w := range slices.Concat(b[:head], b[len(b)-tail:]) {
		if !text.IsStopWord(w) && !noThings[w] {
			content++
		}
	}
	return content >= needed
}

// ofOne matches what one person at a time is or does.
var ofOne = prefilter.New(` (?:owns?|runs?|leads?|maintains?|handles?|chairs?|manages?|(?:is|am|'m|i'm|im) (?:the|our|my)) `, ` (?:leite[nt]?|betreu(?:e|t|en)|verantwortet?|(?:ist|is|bin) (?:der|die|unser\w*|mein\w*)) `, ` (?:lleva|llevo|dirig[eo]|coordin[ao]|(?:es|soy) (?:el|la|mi|nuestr[oa])) `, `负 责|主 管|是 我 们`)
