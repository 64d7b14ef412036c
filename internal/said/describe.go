package said

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// describes reports whether an object says of a person or an animal what they are like, not
// who they are: "my boss is strict", "her husband is a plumber", "my dad is 70". A name may
// lack its capital only where the whole sentence has none.
func (v *value) describes() bool {
	if v.m.class&bearers == 0 || v.first.quoted {
		return false
	}
	named := (span{v.m.from, v.obj.lo}).holds(func(k int) bool { return naming[v.t[k].word] })
	if v.lex.han {
		return !named && !v.callsHan() || counters[v.first.word]
	}
	if named && v.first.upper {
		return false
	}
	if _, ok := nounIn(v.m.phrase(v.obj), diet|condition|status|occupation|language); ok {
		return true
	}
	title, last := v.n > 1 && titles[v.first.word] && (v.reader.lower || v.t[v.obj.lo+1].upper), &v.t[v.obj.hi-1]
	adverbial := v.obj.holds(func(k int) bool { return v.lex.prefixes[v.t[k].word] && !v.t[k].upper && !ofNames[v.t[k].word] })
	switch {
	case v.article && !definite[v.before], v.reader.hasDigit(v.obj), v.lex.prefixes[v.first.word] && !v.first.upper:
		return true
	case title:
		return false
	case v.lex.of == "von" && v.first.upper: // any noun: "Mein Mann ist Maurer"
		is := (span{v.m.from, v.obj.lo}).holds(func(k int) bool { return v.t[k].word == "ist" || v.t[k].word == "bin" })
		return is && !v.reader.reported && (v.n == 1 && !definite[v.before] || !last.upper || adverbial || v.lex.known[v.first.word] || strings.HasSuffix(v.first.word, "ste"))
	case v.first.upper: // "Polish and deaf", but "Rich Smith"
		_, spoken := nounIn(v.first.word, language)
		return (spoken || v.lex.traits[v.first.word]) && (v.n == 1 || !v.t[v.obj.lo+1].upper || v.lex.traits[v.t[v.obj.lo+1].word])
	case definite[v.before] && last.upper:
		return adverbial || ofNames[v.t[v.obj.lo+1].word]
	}
	first, _ := utf8.DecodeRuneInString(v.reader.text[v.t[0].lo:])
	return !v.reader.lower || unicode.IsUpper(first) || v.n > 3 || v.lex.of != "of" && v.reader.people(v.obj) ||
		v.obj.holds(func(k int) bool { return v.lex.known[v.t[k].word] || v.lex.tells(v.t[k].word) })
}

// oneName ends a name before "and" and what is no name: "Karen and works nights".
func (r *reader) oneName(obj span) span {
	for k := obj.lo + 1; k+1 < obj.hi; k++ {
		if next := &r.m.tokens[k+1]; r.lex.joins.in(r.m.tokens, k) && !next.upper && (!r.lower || r.lex.third[next.word] != "") {
			r.m.end = k
			return span{obj.lo, k}
		}
	}
	return obj
}

// tells reports whether a word without a capital says what somebody or something is like.
func (l *lexicon) tells(w string) bool {
	return l.traits[w] || slices.ContainsFunc(l.traitEnds, func(end string) bool { return len(w) > len(end)+2 && strings.HasSuffix(w, end) })
}

// naming are words before a name.
var naming = wordSet("called named name by heißt heiße namens llama llamo llamado llamada 叫 姓")

// ofNames are prepositions within a name.
var ofNames = wordSet("von zu van de del la")

// titles stand before a name.
var titles = wordSet("dr mr mrs ms miss prof professor doctor sir frau herr herrn doktor señor señora sr sra doctora dra don doña profesor profesora tío tía onkel tante")

// definite are articles before who somebody is: "mi dentista es la doctora Vega".
var definite = wordSet("the der die das el la")

// counters stand before what somebody is: 我老板是个工作狂.
var counters = wordSet("个 位 一 名")

// callsHan reports whether a Chinese object is a name: a surname and one or two characters,
// 小, 阿 or 老 and one, a name or a part of it and a title, or Latin letters.
func (v *value) callsHan() bool {
	if !han(*v.first) {
		return !v.reader.hasDigit(v.obj)
	}
	name := []rune(v.m.phrase(v.obj))
	next := v.obj.hi < len(v.t) && strings.Contains("人的", v.t[v.obj.hi].word)
	switch called := titleHan.ReplaceAllString(string(name), ""); {
	case next, weekdayHan.MatchString(string(name)):
		return false
	case called != string(name):
		n := utf8.RuneCountInString(called)
		return n == 1 || n == 3 || n == 2 && (familiar[v.first.word] || strings.Contains("欧阳上官司马诸葛司徒慕容", called)) && !unnamed[called]
	case familiar[v.first.word]:
		return len(name) == 2 && !unnamed[string(name)]
	}
	return len(name) <= 4 && strings.ContainsRune(surnames, name[0]) && !v.reader.people(v.obj) && !strings.ContainsRune("人座型血狂迷鬼狗控党族佬的员子领头", name[len(name)-1])
}

// titleHan matches a title after a Chinese name.
var titleHan = regexp.MustCompile(`(?:医生|大夫|医师|老师|师傅|阿姨|叔叔|大爷|大妈|大姐|大哥|先生|女士|小姐|太太|律师|教练|经理|主任|店长|教授|会计|护士|奶奶|爷爷|总|哥|姐|叔|姨|婶|嫂|工|导|董|局|处)$`)

// surnames are common Chinese surnames, but for those that begin many other words.
const surnames = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕裴霍涂苗曲翁骆蓝游辛靳管柴蒙鲍华喻祁蒲房屈饶牟艾尤穆农卓芦麦褚窦戚岑景卜席卫宗瞿桂佟臧邬卞姬隋桑甄仲虞敖佘迟邝司欧慕诸端"

// tellsState reports whether an object says in what state a thing is, not what it is: "my car
// is broken", "my phone is at 5%", "my laptop is 8 years old".
func (v *value) tellsState() bool {
	canon, thing := nounIn(v.m.phrase(v.m.noun), thing)
	if v.lex.han || v.first.quoted || !thing || freely[canon] {
		return false
	}
	tells := func(k int) bool { return !v.t[k].upper && (v.lex.tells(v.t[k].word) || colours[v.t[k].word]) }
	adverbial := v.lex.prefixes[v.first.word] && !v.first.upper && !(v.reader.hasDigit(v.obj) && (numbered[canon] || ofNames[v.first.word]))
	plain := families[canon] == "belongings" && !v.first.upper && !v.reader.hasDigit(v.obj) // "my car is so slow today"
	return v.lasts() || adverbial || !v.article && (plain || tells(v.obj.lo) || tells(v.obj.hi-1) || !v.first.upper && participle.MatchString(v.first.word))
}

// lasts reports whether an object begins with a length of time: "8 years old", "an hour".
func (v *value) lasts() bool {
	unit := func(k int) bool {
		return k < len(v.t) && timeUnits[v.t[k].word] && (!v.t[k].upper || v.lex.of == "von")
	} // not "24 Hour Fitness"
	return unit(v.obj.lo) || (numerals[v.first.word] || v.reader.hasDigit(span{v.obj.lo, v.obj.lo + 1})) && unit(v.obj.lo+1)
}

var timeUnits = wordSet(`min mins minute minutes hr hrs hour hours days week weeks month months yr yrs year years decades ages while
minuten stunde stunden tage tagen wochen monat monate monaten jahr jahre jahren minuto minutos hora horas días semana semanas mes meses año años rato`)

var participle = regexp.MustCompile(`^(?:\pL{3,}ed|\pL{2,}ing|\pL{3,}[ai]d[oa]|(?:\pL{2,4})?ge\pL{3,}(?:t|en))$`)

// numbered are things that a number names, whatever stands before it: "around 900".
var numbered = wordSet("address office budget rent salary height weight")

var colours = wordSet("red blue green white black grey gray yellow silver brown rot blau grün weiß schwarz grau gelb rojo azul verde blanco negro gris amarillo")

// trades are things that are an occupation.
var trades = map[string]bool{"job": true, "position": true}

// freely are things that adjectives, times and places may name.
var freely = wordSet("nationality religion native_language size shoe_size diet age star_sign pronouns coffee hobby passion motto goal dream nickname meeting deadline bedtime working_hours wake_up_time wedding commute time_zone")

// occupies reports whether an object says when, how or at what one works, and is no employer:
// "for 6 hours", "am Wochenende", "an einer Präsentation".
func (v *value) occupies() bool {
	w, next := v.first.word, v.obj.lo+1
	name := next < v.obj.hi && v.t[next].upper && !v.reader.dayAt(v.t, next) // "7 Eleven", "Büro Kreuzhuber"
	if v.lex.han {
		return stations[v.claim.Object]
	}
	if v.lasts() || stations[w] && !name || v.reader.dayAt(v.t, v.obj.lo) && v.lex.of != "von" {
		return true
	}
	if v.lex.of == "von" {
		at := v.before
		if lo := v.obj.lo - 2; v.lex.articles[at] && lo >= 0 {
			at = v.t[lo].word
		}
		_, day := nounIn(w, weekday)
		return at != "bei" && (day || eveningDE.MatchString(w)) || at == "an" && (v.n == 1 || !v.t[v.obj.hi-1].upper) && !instituteDE.MatchString(w)
	}
	return !name && (clock.MatchString(w) || numerals[w] && !v.first.upper)
}

var (
	clock       = regexp.MustCompile(`^\d+(?:[:.]\d+)?(?:am|pm|h)?$`)
	eveningDE   = regexp.MustCompile(`(?:abend|morgen|vormittag|nachmittag|nacht|wochenende|zimmer)s?$`)
	instituteDE = regexp.MustCompile(`(?:uni|universitat|schule|klinik|theater|institut|akademie|oper|charite|gymnasium|kolleg|rezeption|kasse|fh|tu)$`)
)

// stations are where, when and how one works, for any employer.
var stations = wordSet(`desk computer laptop screen noon midnight dawn dusk living peanuts cash tips exposure wage wages fun myself candlelight
homeoffice home-office garten büro keller haus haushalt bett sitzen stehen liegen freien auto zug schnitt moment team akkord schichtdienst nachtdienst außendienst innendienst sommer winter herbst frühling frühjahr urlaub feiertag schreibtisch pc rechner handy limit anschlag dunkeln hintergrund projekt geld
proyecto libro novela tesis idea turno turnos horario informe presentación ordenador remoto
家 家里 自己家 加班 努力 认真 拼命 埋头 专心 外面 外 线上 网上 电脑前 远程`)

// staysHan matches what follows 住 and is no place: 得离公司很远, 六楼没电梯.
var staysHan = regexp.MustCompile(`^(?:[得着不惯挺很久了过还也够的校下]|[太好真][久远小大偏挤吵高低贵多长的好]|满[了意]|习惯|[一二三四五六七八九十两几半0-9]+[年天个间晚室人月周居套栋])|[楼层]`)

// rates are adjectives that say how well somebody does something, whatever the job.
var rates = wordSet(`good great bad terrible awful horrible lousy decent brilliant amazing excellent fantastic poor useless hopeless mediocre average slow fast quick keen avid nervous careful careless cautious confident reluctant reckless aggressive picky natural born worst best
guter gute toller tolle schlechter schlechte miserabler miserable mieser miese lausiger lausige leidenschaftlicher leidenschaftliche begeisterter begeisterte schneller schnelle langsamer langsame ausgezeichneter ausgezeichnete hervorragender hervorragende furchtbarer furchtbare schrecklicher schreckliche grauenhafter grauenhafte mittelmäßiger mittelmäßige
pésimo pésima malo mala excelente fatal terrible mediocre estupendo estupenda
好 坏 烂 差 糟糕 优秀 合格 称职 出色 厉害 差劲 蹩脚`)
